import { inspect } from 'node:util';
import { createRedactor, type Redactor, redacted } from '../support/redaction.ts';
import { type AccountEntry, readSecret, type SecretFile } from './files.ts';
import type { SecretName, Settings } from './schema.ts';

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

export function createSecrets(settings: Settings, redactor: Redactor): Secrets {
  const tokens = tokenSources(settings);
  const tokenRedactor = createRedactor();
  const learnToken = (token: string) => {
    redactor.learn(token);
    tokenRedactor.learn(token);
    return token;
  };
  const secretOf = (name: SecretName) => settings[name] ?? settings[`${name}_FILE`]?.content ?? null;
  for (const source of tokens.values()) learnToken(source());
  redactor.learn(secretOf('HTTP_TOKEN') ?? '');
  for (const name of ['DATABASE_URL', 'MIGRATE_DATABASE_URL', 'SMTP_URL'] as const)
    learnPassword(redactor, secretOf(name));
  learnPath(redactor, settings.HEALTHCHECK_URL);
  const secrets: Secrets = {
    token(account) {
      const token = tokens.get(account)?.();
      if (token === undefined) throw new Error(`no token for account ${account}`);
      return learnToken(token);
    },
    databaseUrl: () => secretOf('DATABASE_URL'),
    migrateDatabaseUrl: () => secretOf('MIGRATE_DATABASE_URL'),
    smtpUrl: () => secretOf('SMTP_URL'),
    httpToken: () => secretOf('HTTP_TOKEN'),
    healthcheckUrl: () => settings.HEALTHCHECK_URL,
    redactor,
    tokenRedactor,
  };
  const hidden = { value: () => redacted };
  return Object.freeze(Object.defineProperties(secrets, { toJSON: hidden, [inspect.custom]: hidden }));
}

type TokenSource = () => string;

function tokenSources(settings: Settings): ReadonlyMap<string, TokenSource> {
  const { ACCOUNTS_FILE: accounts, ACCOUNT_NAME: name, SIDTOKEN: token, SIDTOKEN_FILE: file } = settings;
  if (accounts !== null) return new Map(accounts.map((account) => [account.name, entrySource(account)]));
  if (file !== null) return new Map([[name, fileSource(file)]]);
  return token === null ? new Map() : new Map([[name, () => token]]);
}

function entrySource(account: AccountEntry): TokenSource {
  const { sidtoken, sidtoken_file: file, sidtoken_env: variable } = account;
  return file ? fileSource(file) : () => sidtoken ?? variable!.token;
}

/** Reads the file anew each time, for a token may be rotated; the last one serves while the file is being replaced. */
function fileSource({ path, content }: SecretFile): TokenSource {
  let last = content;
  return () => {
    try {
      last = readSecret(path);
    } catch {
      // Being replaced.
    }
    return last;
  };
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
