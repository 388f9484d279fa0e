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
};

export function createSecrets(values: SecretValues, redactor: Redactor): Secrets {
  const { tokens, databaseUrl, migrateDatabaseUrl, smtpUrl, httpToken } = values;
  const tokenRedactor = createRedactor();
  const learnToken = (token: string) => {
    redactor.learn(token);
    tokenRedactor.learn(token);
    return token;
  };
  for (const source of tokens.values()) learnToken(source());
  redactor.learn(httpToken ?? '');
  for (const url of [databaseUrl, migrateDatabaseUrl, smtpUrl]) learnPassword(redactor, url);
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
