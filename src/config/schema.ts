import { z } from 'zod';
import { asTyped } from '../support/commands.ts';
import { logLevels } from '../support/logger.ts';
import { isLoopback } from '../support/loopback.ts';
import * as address from './addresses.ts';
import { type Environment, launcherVariable, settingLine } from './environment.ts';
import { accountNames, accountsFile, certificatesFile, digestsFile, secretFile } from './files.ts';
import * as format from './formats.ts';

// Each setting has an example, which errors show after `NAME=`.

/** A setting that is null if it isn't set. */
function optional<T extends z.ZodType>(type: T, example: string) {
  return type.nullable().default(null).meta({ example });
}

/** A setting that defaults to `text`. */
function byDefault<T extends z.ZodType<unknown, string>>(type: T, text: string, example = text) {
  return type.prefault(text as z.input<T>).meta({ example, byDefault: text });
}

const databaseExample = 'postgres://callsheet:password@db.example.com:5432/callsheet?sslmode=verify-full';
const terminalFormat = () => (process.stderr.isTTY ? 'pretty' : 'json');

const plain = {
  SERVICE_BASE_URL: optional(address.serviceUrl, 'https://service.example.com/api'),
  ALLOW_INSECURE_HTTP: byDefault(format.yesOrNo, 'false', 'true'),
  NODE_EXTRA_CA_CERTS: optional(certificatesFile, '/etc/callsheet/ca.pem'),
  ACCOUNT_NAME: byDefault(format.shortName, 'main'),
  ACCOUNTS_FILE: optional(z.string(), 'accounts.yaml'),
  TIME_ZONE: byDefault(format.timeZone, 'UTC', 'Europe/Madrid'),
  SCHEDULE: byDefault(format.cronExpression, '30 6 * * *'),
  RETRY_FOR: byDefault(format.duration, '3h'),
  LOOKBACK_DAYS: byDefault(format.wholeNumber(0, 366), '3'),
  CATCH_UP_DAYS: byDefault(format.wholeNumber(1, 3660), '31'),
  ARCHIVE_DAYS: optional(format.wholeNumber(2, 36_600), '400'),
  PAGE_LIMIT: byDefault(format.wholeNumber(1, 100_000), '100'),
  CONCURRENCY: byDefault(format.wholeNumber(1, 64), '8'),
  RATE_PER_SECOND: optional(format.rate, '5'),
  REQUEST_TIMEOUT: byDefault(format.duration, '30s'),
  RETRIES: byDefault(format.wholeNumber(0, 20), '4'),
  MAX_RESPONSE_MB: byDefault(format.wholeNumber(1, 256), '16'),
  WINDOW_END: byDefault(format.oneOf('same-day', 'next-day'), 'same-day'),
  CLIENT_BALANCE: byDefault(format.yesOrNo, 'true'),
  BALANCE_FIELD: optional(z.string(), 'balance'),
  OUTBOX_DIR: byDefault(format.filePath, 'outbox'),
  DIGEST_FROM: optional(address.mailbox, 'Callsheet <callsheet@example.com>'),
  DIGEST_REPLY_TO: optional(address.mailAddress, 'ana@example.com'),
  DIGEST_TO: optional(address.mailAddresses, 'ana@example.com,ben@example.com'),
  DIGESTS_FILE: optional(z.string(), 'digests.yaml'),
  DIGEST_MAX_MB: byDefault(format.wholeNumber(1, 1_000), '10'),
  DIGEST_LINK: optional(address.linkTemplate, 'https://bi.example.com/campaigns?day={day}&account={account}'),
  ALERT_TO: optional(address.mailAddresses, 'ops@example.com'),
  HTTP_HOST: byDefault(address.hostName, '127.0.0.1'),
  HTTP_PORT: byDefault(format.port, '8080'),
  HTTP_NAMES: optional(address.hostNames, 'callsheet.example.com'),
  PAGE_URL: optional(address.url('http', 'https'), 'https://callsheet.example.com/'),
  INSTALLATION: optional(format.shortName, 'production'),
  HEALTHCHECK_URL: optional(address.url('http', 'https'), 'https://hc-ping.com/<UUID>'),
  LOG_LEVEL: byDefault(format.oneOf(...logLevels), 'info'),
  LOG_FORMAT: format.oneOf('json', 'pretty').prefault(terminalFormat).meta({ example: 'json' }),
};

const secret = {
  SIDTOKEN: optional(format.tokenText, '<SID_TOKEN>'),
  DATABASE_URL: optional(address.databaseUrl, databaseExample),
  MIGRATE_DATABASE_URL: optional(address.databaseUrl, databaseExample),
  SMTP_URL: optional(address.smtpUrl, 'smtp://user:password@mail.example.com:587'),
  HTTP_TOKEN: optional(format.passphrase, '<32-random-characters>'),
  ALERT_WEBHOOK_URL: optional(address.url('http', 'https'), 'https://hooks.example.com/services/<KEY>'),
};

export type SecretName = keyof typeof secret;
export const plainSettings: readonly string[] = Object.keys(plain);
export const secretSettings = Object.keys(secret) as readonly SecretName[];

const secretFiles = Object.fromEntries(secretSettings.map((name) => [`${name}_FILE`, fileOf(name)])) as {
  [Name in SecretName as `${Name}_FILE`]: ReturnType<typeof fileOf>;
};

function fileOf(name: SecretName) {
  return optional(secretFile(secret[name], exampleOf(secret[name])), `/run/secrets/${name.toLowerCase()}`);
}

const shape = { ...plain, ...secret, ...secretFiles };
export type SettingName = keyof typeof shape;
export const settingNames: readonly string[] = Object.keys(shape);

function exampleOf(type: z.ZodType): string {
  return String(type.meta()!.example);
}

/** Returns an example of a setting as a line of `.env`. */
export function exampleLine(name: string): string {
  return settingLine(name, exampleOf(shape[name as SettingName]));
}

/** Returns a line about a setting's value, with an example; null if the schema takes it. */
export function settingError(name: string, value: string): string | null {
  const error = format.errorOf(shape[name as SettingName], value);
  return error === null ? null : `${name} is ${error}; for example ${exampleLine(name)}`;
}

/** Returns a setting's default as it is written; null if the schema has none. */
export function defaultOf(name: string): string | null {
  return (shape[name as SettingName].meta()?.byDefault as string | undefined) ?? null;
}

export type Settings = z.output<ReturnType<typeof settingsSchema>>;

/** All settings by their names. Any variable of `environment` may hold the token of an account. */
export function settingsSchema(environment: Environment) {
  return z.object({
    ...shape,
    ACCOUNTS_FILE: accountsFile(environment).nullable().default(null),
    DIGESTS_FILE: digestsFile(knownAccounts(environment)).nullable().default(null),
  });
}

/**
 * Returns the names of all accounts; null if they are malformed: their own settings report that. Null without
 * DIGESTS_FILE, too: only that may name them.
 */
function knownAccounts(environment: Environment): ReadonlySet<string> | null {
  const { ACCOUNT_NAME: name, ACCOUNTS_FILE: file, DIGESTS_FILE: digests } = environment;
  if (digests === undefined) return null;
  if (file === undefined) {
    const { data } = shape.ACCOUNT_NAME.safeParse(name);
    return data === undefined ? null : new Set([data]);
  }
  const { data } = accountNames.safeParse(file);
  return data === undefined ? null : new Set(data.map((account) => account.name));
}

const alternatives: readonly (readonly [string, string])[] = [
  ['SIDTOKEN', 'ACCOUNTS_FILE'],
  ['SIDTOKEN_FILE', 'ACCOUNTS_FILE'],
  ['DIGEST_TO', 'DIGESTS_FILE'],
  ...secretSettings.map((name) => [name, `${name}_FILE`] as const),
];

/** Returns errors about missing or superfluous settings, whatever their values. */
export function presenceErrors(environment: Environment, needsService: boolean): string[] {
  const isSet = (...names: readonly string[]) => names.some((name) => environment[name] !== undefined);
  const errors = alternatives
    .filter(([one, other]) => isSet(one) && isSet(other))
    .map(([one, other]) => `${one} and ${other} are both set: keep one of them`);
  const hasToken = isSet('SIDTOKEN', 'SIDTOKEN_FILE', 'ACCOUNTS_FILE');
  if (needsService && !isSet('SERVICE_BASE_URL')) errors.push(missing('SERVICE_BASE_URL'));
  if (needsService && !hasToken) errors.push(missing('SIDTOKEN', ', and so is ACCOUNTS_FILE'));
  // A launcher takes its settings from elsewhere, and `init` writes the `.env` of a clone. Others may be set by the machine.
  const isNew = !hasToken && !isSet('SERVICE_BASE_URL', launcherVariable);
  if (needsService && isNew) errors.push(`start with: ${asTyped('init')}`);
  if (isSet('SMTP_URL', 'SMTP_URL_FILE') && !isSet('DIGEST_FROM')) errors.push(missing('DIGEST_FROM'));
  return errors;
}

/** Returns errors about settings that are each well formed, but conflict. */
export function conflictErrors(environment: Environment): string[] {
  // pg logs in with it if DATABASE_URL has no password.
  const password = format.passwordError(environment.PGPASSWORD ?? '');
  const lookback = shape.LOOKBACK_DAYS.safeParse(environment.LOOKBACK_DAYS).data;
  const catchUp = shape.CATCH_UP_DAYS.safeParse(environment.CATCH_UP_DAYS).data;
  // A malformed value is an error of its own setting.
  const isBeyond = lookback !== undefined && catchUp !== undefined && lookback > catchUp;
  const line = `LOOKBACK_DAYS (${lookback}) is larger than CATCH_UP_DAYS (${catchUp})`;
  const examples = `${exampleLine('LOOKBACK_DAYS')} and ${exampleLine('CATCH_UP_DAYS')}`;
  return [
    ...insecureErrors(environment),
    ...(isBeyond ? [`${line}; for example ${examples}`] : []),
    ...(password === null ? [] : [`PGPASSWORD is ${password}`]),
  ];
}

/** Without TLS, everybody on the way can read the session token. */
export function insecureErrors(environment: Environment): string[] {
  const address = shape.SERVICE_BASE_URL.safeParse(environment.SERVICE_BASE_URL).data;
  const allowed = shape.ALLOW_INSECURE_HTTP.safeParse(environment.ALLOW_INSECURE_HTTP).data;
  if (!address?.startsWith('http:') || allowed !== false) return [];
  const { hostname } = new URL(address);
  if (isLoopback(hostname)) return [];
  const line = `SERVICE_BASE_URL would send the session token unencrypted to ${hostname}`;
  return [`${line}: use https://, or set ALLOW_INSECURE_HTTP=true if every network in between is yours`];
}

function missing(name: SettingName, also = ''): string {
  return `${name} is missing${also}; for example ${exampleLine(name)}`;
}
