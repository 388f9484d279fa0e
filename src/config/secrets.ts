import { inspect } from 'node:util';
import { createRedactor, type Redactor, redacted } from '../support/redaction.ts';
import { accountEntries } from './config.ts';
import type { AccountEntry, SecretFile } from './files.ts';
import type { SecretName, Settings } from './schema.ts';

export type Secrets = ReturnType<typeof createSecrets>;

/**
 * Creates the holder of all secrets in the settings. Printed or serialised, it shows `[redacted]`. `redactor`
 * learns every secret now, and what is read again from a file as it is handed out.
 */
export function createSecrets(settings: Settings, redactor: Redactor) {
  const entries = accountEntries(settings);
  const tokens = new Map(
    entries.map((entry) => [
      entry.name,
      entry.sidtoken_file ? entry.sidtoken_file.read : () => tokenOf(entry),
    ]),
  );
  const tokenRedactor = createRedactor();
  const learnToken = (token: string) => {
    redactor.learn(token);
    tokenRedactor.learn(token);
    return token;
  };
  for (const entry of entries) learnToken(tokenOf(entry));
  for (const name of Object.keys(secretParts) as (keyof typeof secretParts)[]) {
    const value = name === 'HEALTHCHECK_URL' ? settings[name] : secretOf(settings, name);
    for (const secret of value === null ? [] : secretParts[name](value)) redactor.learnPassword(secret);
  }
  const databaseFile = settings.DATABASE_URL_FILE;
  const database =
    databaseFile === null ? secretOf(settings, 'DATABASE_URL') : databaseSource(databaseFile, redactor);
  const secrets = {
    /** Reads an account's current session token. */
    token(account: string): string {
      const token = tokens.get(account)?.();
      if (token === undefined) throw new Error(`no token for account ${account}`);
      return learnToken(token);
    },
    /** Returns the address of the database as the settings were read, or null. */
    databaseUrl: () => secretOf(settings, 'DATABASE_URL'),
    /** Returns that address, or null; if it has a file of its own, a function that reads it again. */
    databaseAddress: () => database,
    migrateDatabaseUrl: () => secretOf(settings, 'MIGRATE_DATABASE_URL'),
    smtpUrl: () => secretOf(settings, 'SMTP_URL'),
    /** Returns the token that the HTTP server requires; null if it requires none. */
    httpToken: () => secretOf(settings, 'HTTP_TOKEN'),
    /** Returns the watchdog's address, or null. It is a secret: whoever has it can report that all is well. */
    healthcheckUrl: () => settings.HEALTHCHECK_URL,
    /** Returns where alerts are posted, or null. Whoever has it can write there. */
    webhookUrl: () => secretOf(settings, 'ALERT_WEBHOOK_URL'),
    /** Knows every secret: for logs and messages. */
    redactor,
    /** Knows only the tokens, for responses of the service: a password of ours may be an ordinary word there. */
    tokenRedactor,
  };
  const hidden = { value: () => redacted };
  return Object.freeze(Object.defineProperties(secrets, { toJSON: hidden, [inspect.custom]: hidden }));
}

function secretOf(settings: Settings, name: SecretName): string | null {
  return settings[name] ?? settings[`${name}_FILE`]?.content ?? null;
}

/** Returns an account's session token as the settings were read. */
export function tokenOf({ sidtoken, sidtoken_file: file, sidtoken_env: variable }: AccountEntry): string {
  return file?.content ?? sidtoken ?? variable!.token;
}

/** Reads the file of the database's address each time: a password may be rotated. */
function databaseSource({ read }: SecretFile, redactor: Redactor): () => string {
  return () => {
    const address = read();
    for (const password of passwordsIn(new URL(address))) redactor.learnPassword(password);
    return address;
  };
}

/** The secret parts of each setting, besides the tokens of accounts. A new secret is named here before it compiles. */
const secretParts: Readonly<
  Record<Exclude<SecretName, 'SIDTOKEN'> | 'HEALTHCHECK_URL', (value: string) => readonly string[]>
> = {
  HTTP_TOKEN: (token) => [token],
  DATABASE_URL: (address) => passwordsIn(new URL(address)),
  MIGRATE_DATABASE_URL: (address) => passwordsIn(new URL(address)),
  // AUTH PLAIN sends the password in base64 with the user, which a server may echo: a redactor finds it there.
  SMTP_URL: (address) => [...passwordsIn(new URL(address)), ...userKeysIn(new URL(address))],
  HEALTHCHECK_URL: (address) => [...passwordsIn(new URL(address)), ...keysIn(new URL(address))],
  ALERT_WEBHOOK_URL: (address) => [...passwordsIn(new URL(address)), ...keysIn(new URL(address))],
};

function passwordsIn({ password }: URL): string[] {
  return [decodeURIComponent(password)];
}

const minKeyLength = 12;

/** A long user name without `@` may be a provider's key. Others aren't secret, and many log lines show them. */
function userKeysIn({ username }: URL): string[] {
  const user = decodeURIComponent(username);
  return user.length >= minKeyLength && !user.includes('@') ? [user] : [];
}

/** Returns the parts of an address that are long enough to be keys. */
function keysIn(address: URL): string[] {
  const { pathname, searchParams } = address;
  const keys = [...pathname.split('/'), pathname, ...searchParams.values()];
  return [...userKeysIn(address), ...keys.filter((key) => key.length >= minKeyLength)];
}
