import { statfsSync, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { databaseHost, sslModeOf } from '../support/database-url.ts';
import { formatList } from '../support/english.ts';
import { isLoopback } from '../support/loopback.ts';
import { longSecretLength } from '../support/redaction.ts';
import { accountEntries, type Config } from './config.ts';
import { nearest } from './did-you-mean.ts';
import { dotenvVariable, type Environment } from './environment.ts';
import { currentText } from './files-read.ts';
import { type Settings, secretSettings, settingNames } from './schema.ts';
import { type Secrets, tokenOf } from './secrets.ts';

/** Returns lines about settings that are valid, but probably a mistake or unsafe. */
export function warningsOf(
  environment: Environment,
  settings: Settings,
  config: Config,
  secrets: Secrets,
): string[] {
  return [
    ...misspeltNames(environment, settings),
    ...readableFiles(environment, settings),
    ...zoneElsewhere(environment),
    ...fixedZones(environment, settings),
    ...readableAddress('DATABASE_URL', secrets.databaseUrl()),
    ...readableAddress('MIGRATE_DATABASE_URL', secrets.migrateDatabaseUrl()),
    ...implicitTls(secrets.smtpUrl()),
    ...withoutRecipient(config),
    ...shortTokens(settings),
    ...sameTokens(settings),
  ];
}

/** Reports variables that have no effect, but are a letter or two off a setting. The settings may be invalid. */
export function misspeltNames(environment: Environment, settings: Settings | undefined): string[] {
  const entries = settings === undefined ? [] : accountEntries(settings);
  const tokenVariables = new Set(entries.map(({ sidtoken_env }) => sidtoken_env?.variable));
  return Object.keys(environment).flatMap((name) => {
    if (settingNames.includes(name) || tokenVariables.has(name)) return [];
    // One address has all of them.
    const isOfMail = /^SMTP_(HOST|PORT|USER(NAME)?|PASS(WORD)?)$/.test(name);
    const meant = isOfMail ? 'SMTP_URL' : nearest(name, settingNames);
    return meant === undefined ? [] : [`${name} is not a setting of Callsheet: did you mean ${meant}?`];
  });
}

/** Containers are often given only `TZ`, which has no effect on whose days these are. */
function zoneElsewhere({ TZ, TIME_ZONE }: Environment): string[] {
  if (TIME_ZONE || !TZ || /^:?(Etc\/)?(UTC|GMT)$/.test(TZ)) return [];
  return [`TZ is set (${JSON.stringify(TZ)}) and TIME_ZONE isn't: days are UTC days; set TIME_ZONE`];
}

/**
 * Warns of zones without daylight saving time that look like those of a city: `EST` isn't New York's time in summer,
 * and `Etc/GMT+5` is west of Greenwich.
 */
function fixedZones({ TIME_ZONE }: Environment, settings: Settings): string[] {
  const ofEntries = (setting: string, entries: Settings['ACCOUNTS_FILE'] | Settings['DIGESTS_FILE']) =>
    (entries ?? []).map(
      ({ name, time_zone }) => [`the time_zone of ${name} in ${setting}`, time_zone] as const,
    );
  return [
    ['TIME_ZONE', TIME_ZONE ? settings.TIME_ZONE : undefined] as const,
    ...ofEntries('ACCOUNTS_FILE', settings.ACCOUNTS_FILE),
    ...ofEntries('DIGESTS_FILE', settings.DIGESTS_FILE),
  ].flatMap(([where, zone]) => {
    if (zone === undefined || !/^([EMH]ST|Etc\/GMT[+-][1-9]\d*)$/.test(zone)) return [];
    const { offset } = Temporal.Now.zonedDateTimeISO(zone);
    const what = `${where} is ${zone}, which is UTC${offset} all year, without daylight saving time`;
    return [`${what}; for the time of a city, name its zone, such as America/New_York`];
  });
}

/** `tmpfs` and `ramfs` of Linux. */
const inMemory = new Set([0x01021994, 0x858458f6]);

/**
 * Warns of files with a secret that every user of this machine can read. Ignores files in memory, which
 * belong to a container: Kubernetes mounts secrets with mode 0644, and Docker with 0444. Windows has no such
 * modes.
 */
function readableFiles(environment: Environment, settings: Settings): string[] {
  if (process.platform === 'win32') return [];
  return secretFiles(environment, settings)
    .filter((path) => (statSync(path).mode & 0o004) !== 0 && !inMemory.has(statfsSync(path).type))
    .map((path) => {
      const what = `${path} holds a secret, and every user of this machine can read it`;
      return `${what}: chmod 600 ${path}, as the user that runs Callsheet`;
    });
}

function secretFiles(environment: Environment, settings: Settings): string[] {
  const { ACCOUNTS_FILE: accountsFile, [dotenvVariable]: dotenv } = environment;
  const entries = settings.ACCOUNTS_FILE ?? [];
  const named = secretSettings.flatMap((name) => settings[`${name}_FILE`]?.path ?? []);
  const ofAccounts = entries.flatMap((entry) => entry.sidtoken_file?.path ?? []);
  const withTokens = entries.some(({ sidtoken }) => sidtoken !== undefined) ? [accountsFile!] : [];
  const names: readonly string[] = [
    ...secretSettings,
    ...entries.flatMap(({ sidtoken_env }) => sidtoken_env?.variable ?? []),
  ];
  const inDotenv = dotenv ? Object.entries(parseEnv(currentText(dotenv))) : [];
  const isSecret = inDotenv.some(([name, value]) => value && names.includes(name));
  return [...new Set([...named, ...ofAccounts, ...withTokens, ...(isSecret ? [dotenv!] : [])])];
}

/** Warns of a database on another machine without TLS. */
function readableAddress(name: string, address: string | null): string[] {
  if (address === null) return [];
  const database = new URL(address);
  const mode = sslModeOf(database);
  const host = databaseHost(database);
  const staysHere = host === '' || host.startsWith('/') || isLoopback(host);
  if (staysHere || (mode !== null && mode !== 'disable')) return [];
  const what = `${name} leads to another machine without TLS: anybody in between can read and change everything`;
  return [`${what}; add sslmode=verify-full, unless the network is private`];
}

/** Servers wait for TLS on port 465, and the client for their greeting. */
function implicitTls(address: string | null): string[] {
  if (address === null) return [];
  const { protocol, port } = new URL(address);
  if (protocol !== 'smtp:' || port !== '465') return [];
  return ['SMTP_URL begins with smtp:// and has port 465, where servers start with TLS: use smtps://'];
}

function withoutRecipient({ digests }: Config): string[] {
  if (digests.length > 0) return [];
  return ['SMTP_URL is set, but no digest has a recipient: set DIGEST_TO or DIGESTS_FILE'];
}

function shortTokens(settings: Settings): string[] {
  return accountEntries(settings)
    .filter((entry) => tokenOf(entry).length < longSecretLength)
    .map(({ name }) => {
      const what = `the session token of account ${name} has fewer than ${longSecretLength} characters`;
      return `${what}: it is redacted in logs, but not in stored records, because it may be an ordinary word; use a longer token`;
    });
}

function sameTokens(settings: Settings): string[] {
  const byToken = Map.groupBy(accountEntries(settings), tokenOf);
  return [...byToken.values()]
    .filter((entries) => entries.length > 1)
    .map((entries) => {
      const names = formatList(entries.map(({ name }) => name));
      return `accounts ${names} have the same session token: the same campaigns are counted for each account; give each its own token`;
    });
}
