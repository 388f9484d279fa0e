import { inspect } from 'node:util';
import { createRedactor, type Redactor, redacted } from '../support/redaction.ts';
import type { TokenSource } from './accounts.ts';

/** Every secret of the settings. It can't be logged: printed or serialised, it says only that it is there. */
export type Secrets = {
  /** The session token of an account, as it stands in its source now. */
  token(account: string): string;
  databaseUrl(): string | null;
  migrateDatabaseUrl(): string | null;
  smtpUrl(): string | null;
  /** What the HTTP server asks for; null where it asks for nothing. */
  httpToken(): string | null;
  /** Where the nights are watched over: whoever knows the address can say that all is well. */
  healthcheckUrl(): string | null;
  /** Knows all of the above, and every token handed out since: for logs and messages. */
  readonly redactor: Redactor;
  /** Knows the tokens alone: for what the service says, in which a password of ours would be a mere word. */
  readonly tokenRedactor: Redactor;
};

export type SecretValues = {
  readonly tokens: ReadonlyMap<string, TokenSource>;
  readonly databaseUrl: string | null;
  readonly migrateDatabaseUrl: string | null;
  readonly smtpUrl: string | null;
  readonly httpToken: string | null;
  readonly healthcheckUrl: string | null;
};

export function createSecrets(values: SecretValues, redactor: Redactor): Secrets {
  const { tokens, databaseUrl, migrateDatabaseUrl, smtpUrl, httpToken, healthcheckUrl } = values;
  const tokenRedactor = createRedactor();
  const learnToken = (token: string) => {
    redactor.learn(token);
    tokenRedactor.learn(token);
    return token;
  };
  for (const source of tokens.values()) learnToken(source());
  redactor.learn(httpToken ?? '');
  for (const url of [databaseUrl, migrateDatabaseUrl, smtpUrl]) learnPassword(redactor, url);
  learnPath(redactor, healthcheckUrl);
  const secrets: Secrets = {
    token(account) {
      const token = tokens.get(account)?.();
      if (token === undefined) throw new Error(`no token for account ${account}`);
      return learnToken(token);
    },
    databaseUrl: () => databaseUrl,
    migrateDatabaseUrl: () => migrateDatabaseUrl,
    smtpUrl: () => smtpUrl,
    httpToken: () => httpToken,
    healthcheckUrl: () => healthcheckUrl,
    redactor,
    tokenRedactor,
  };
  const hidden = { toJSON: () => redacted, [inspect.custom]: () => redacted };
  return Object.freeze(Object.defineProperties(secrets, hiddenProperties(hidden)));
}

function hiddenProperties(values: {
  [inspect.custom]: () => string;
  toJSON: () => string;
}): PropertyDescriptorMap {
  return { toJSON: { value: values.toJSON }, [inspect.custom]: { value: values[inspect.custom] } };
}

function learnPassword(redactor: Redactor, address: string | null): void {
  const url = address === null ? null : URL.parse(address);
  if (url === null) return;
  redactor.learn(url.password);
  redactor.learn(decodeURIComponent(url.password));
  for (const password of url.searchParams.getAll('password')) redactor.learn(password);
}

/** A path that is a key, and its long parts: a short one may be a mere word. */
function learnPath(redactor: Redactor, address: string | null): void {
  const url = address === null ? null : URL.parse(address);
  if (url === null) return;
  learnPassword(redactor, address);
  for (const key of url.pathname.split('/').filter((part) => part.length >= shortestKey)) redactor.learn(key);
  if (url.pathname.length >= shortestKey) redactor.learn(url.pathname);
  for (const value of url.searchParams.values()) if (value.length >= shortestKey) redactor.learn(value);
}

const shortestKey = 12;
