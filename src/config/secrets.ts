import { inspect } from 'node:util';
import { createRedactor, type Redactor, redacted } from '../support/redaction.ts';
import { type AccountEntry, readSecret, type SecretFile } from './files.ts';
import type { SecretName, Settings } from './schema.ts';

/** Every secret of the settings. It can't be logged: printed or serialised, it says only that it is there. */
export type Secrets = {
  /** The session token of an account, as its source has it now. */
  token(account: string): string;
  databaseUrl(): string | null;
  migrateDatabaseUrl(): string | null;
  smtpUrl(): string | null;
  /** What the HTTP server requires; null if it requires nothing. */
  httpToken(): string | null;
  /** The watchdog's address: whoever knows it can report that all is well. */
  healthcheckUrl(): string | null;
  /** Knows all of the above, and every token handed out since: for logs and messages. */
  readonly redactor: Redactor;
  /** Knows the tokens alone: for responses of the service, in which a password of ours would be a mere word. */
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
  for (const source of tokens.values()) learnToken(source());
  learnOthers(settings, redactor);
  const secrets: Secrets = {
    token(account) {
      const token = tokens.get(account)?.();
      if (token === undefined) throw new Error(`no token for account ${account}`);
      return learnToken(token);
    },
    databaseUrl: () => secretOf(settings, 'DATABASE_URL'),
    migrateDatabaseUrl: () => secretOf(settings, 'MIGRATE_DATABASE_URL'),
    smtpUrl: () => secretOf(settings, 'SMTP_URL'),
    httpToken: () => secretOf(settings, 'HTTP_TOKEN'),
    healthcheckUrl: () => settings.HEALTHCHECK_URL,
    redactor,
    tokenRedactor,
  };
  const hidden = { value: () => redacted };
  return Object.freeze(Object.defineProperties(secrets, { toJSON: hidden, [inspect.custom]: hidden }));
}

function secretOf(settings: Settings, name: SecretName): string | null {
  return settings[name] ?? settings[`${name}_FILE`]?.content ?? null;
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

function learnOthers(settings: Settings, redactor: Redactor): void {
  redactor.learn(secretOf(settings, 'HTTP_TOKEN') ?? '');
  for (const name of ['DATABASE_URL', 'MIGRATE_DATABASE_URL', 'SMTP_URL'] as const)
    learnPassword(secretOf(settings, name), redactor);
  learnPassword(settings.HEALTHCHECK_URL, redactor);
  learnPath(settings.HEALTHCHECK_URL, redactor);
}

function learnPassword(address: string | null, redactor: Redactor): void {
  const url = URL.parse(address ?? '');
  if (url === null) return;
  redactor.learn(url.password);
  redactor.learn(decodeURIComponent(url.password));
  for (const password of url.searchParams.getAll('password')) redactor.learn(password);
}

/** A path that is a key, and its long parts: a short one may be a mere word. */
function learnPath(address: string | null, redactor: Redactor): void {
  const url = URL.parse(address ?? '');
  if (url === null) return;
  const keys = [...url.pathname.split('/'), url.pathname, ...url.searchParams.values()];
  for (const key of keys) if (key.length >= shortestKey) redactor.learn(key);
}

const shortestKey = 12;
