import { inspect } from 'node:util';
import { createRedactor, type Redactor, redacted } from '../support/redaction.ts';
import { accountEntries } from './config.ts';
import { type AccountEntry, readSecret, type SecretFile } from './files.ts';
import { resultOrNull } from './formats.ts';
import type { SecretName, Settings } from './schema.ts';

export type Secrets = ReturnType<typeof createSecrets>;

/**
 * Every secret of the settings. It can't be logged: printed or serialised, it shows `[redacted]`.
 * `redactor` learns all of them, and every token handed out since.
 */
export function createSecrets(settings: Settings, redactor: Redactor) {
  const entries = accountEntries(settings);
  const tokens = new Map(entries.map((entry) => [entry.name, tokenSource(entry)]));
  const tokenRedactor = createRedactor();
  const learnToken = (token: string) => {
    redactor.learn(token);
    tokenRedactor.learn(token);
    return token;
  };
  for (const source of tokens.values()) learnToken(source());
  for (const secret of otherSecrets(settings)) redactor.learn(secret);
  const secrets = {
    /** The session token of an account, as its source has it now. */
    token(account: string): string {
      const token = tokens.get(account)?.();
      if (token === undefined) throw new Error(`no token for account ${account}`);
      return learnToken(token);
    },
    /** Whether the token's source is a file, whose content may change while the process lives. */
    tokenMayChange: (account: string): boolean =>
      entries.some(({ name, sidtoken_file: file }) => name === account && file !== undefined),
    databaseUrl: () => secretOf(settings, 'DATABASE_URL'),
    migrateDatabaseUrl: () => secretOf(settings, 'MIGRATE_DATABASE_URL'),
    smtpUrl: () => secretOf(settings, 'SMTP_URL'),
    /** What the HTTP server requires; null if it requires nothing. */
    httpToken: () => secretOf(settings, 'HTTP_TOKEN'),
    /** The watchdog's address: with it, anybody can report that all is well. */
    healthcheckUrl: () => settings.HEALTHCHECK_URL,
    /** Knows every secret: for logs and messages. */
    redactor,
    /** Knows the tokens alone: for responses of the service, in which a password of ours would be a mere word. */
    tokenRedactor,
  };
  const hidden = { value: () => redacted };
  return Object.freeze(Object.defineProperties(secrets, { toJSON: hidden, [inspect.custom]: hidden }));
}

function secretOf(settings: Settings, name: SecretName): string | null {
  return settings[name] ?? settings[`${name}_FILE`]?.content ?? null;
}

type TokenSource = () => string;

function tokenSource({ sidtoken, sidtoken_file: file, sidtoken_env: variable }: AccountEntry): TokenSource {
  return file ? fileSource(file) : () => sidtoken ?? variable!.token;
}

/** Reads the file anew each time, for a token may be rotated; the last one serves while the file is being replaced. */
function fileSource({ path, content }: SecretFile): TokenSource {
  let last = content;
  return () => {
    last = resultOrNull(() => readSecret(path)) ?? last;
    return last;
  };
}

/** The token of the HTTP server, passwords and keys in addresses, and the watchdog's, which is a key itself. */
function otherSecrets(settings: Settings): string[] {
  const keyed = [secretOf(settings, 'SMTP_URL'), settings.HEALTHCHECK_URL];
  const databases = [secretOf(settings, 'DATABASE_URL'), secretOf(settings, 'MIGRATE_DATABASE_URL')];
  const addresses = [...databases, ...keyed];
  return [
    secretOf(settings, 'HTTP_TOKEN') ?? '',
    ...addresses.flatMap(parse).flatMap(passwordsIn),
    ...keyed
      .flatMap(parse)
      .map(({ username }) => decodeURIComponent(username))
      .filter(isUserKey),
    ...parse(settings.HEALTHCHECK_URL).flatMap(keysIn),
    ...parse(secretOf(settings, 'SMTP_URL')).flatMap(loginsOf),
  ];
}

const parse = (address: string | null): URL[] => (address === null ? [] : [new URL(address)]);

function passwordsIn({ password }: URL): string[] {
  return [password, decodeURIComponent(password)];
}

/** The password as AUTH LOGIN and AUTH PLAIN send it: a server may repeat what it was sent. */
function loginsOf({ username, password }: URL): string[] {
  if (password === '') return [];
  const [user, pass] = [username, password].map(decodeURIComponent);
  const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '');
  return [base64(pass!), base64(`\0${user}\0${pass}`)];
}

const minKeyLength = 12;

/** A user that is a key of a provider's; a mail address or a short name is no secret, and stands in many lines. */
const isUserKey = (user: string) => user.length >= minKeyLength && !user.includes('@');

/** A path that is a key, and its long parts: a short one may be a mere word. */
function keysIn({ pathname, searchParams }: URL): string[] {
  const keys = [...pathname.split('/'), pathname, ...searchParams.values()];
  return keys.filter((key) => key.length >= minKeyLength);
}
