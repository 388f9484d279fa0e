import os from 'node:os';
import type { CsvStyle, DigestDefinition } from '../model/digest.ts';
import type { Account } from '../model/records.ts';
import { distinctMailboxes } from './addresses.ts';
import { dotenvVariable, type Environment, isOwn } from './environment.ts';
import type { AccountEntry, DigestEntry } from './files.ts';
import type { Settings } from './schema.ts';

/** The settings by subject, without the secrets: safe to log. */
export type Config = ReturnType<typeof toConfig>;

/** @param environment says which files the settings came from */
export function toConfig(settings: Settings, environment: Environment) {
  const accounts = accountEntries(settings).map(
    (entry): Account => ({
      name: entry.name,
      label: entry.label ?? entry.name,
      timeZone: entry.time_zone ?? settings.TIME_ZONE,
      ...(entry.client && { client: entry.client }),
    }),
  );
  return deepFreeze({
    service: {
      baseUrl: settings.SERVICE_BASE_URL ?? '',
      pageLimit: settings.PAGE_LIMIT,
      concurrency: settings.CONCURRENCY,
      /** Requests per second over all accounts; null for no limit. */
      ratePerSecond: settings.RATE_PER_SECOND,
      requestTimeoutMs: settings.REQUEST_TIMEOUT,
      retries: settings.RETRIES,
      /** Size of a response after decompression. */
      maxResponseBytes: settings.MAX_RESPONSE_MB * 1_000_000,
      /** `enddate` is the last day itself or the day after: the service's document doesn't say (docs/service-assumptions.md). */
      windowEnd: settings.WINDOW_END,
      balance: settings.CLIENT_BALANCE,
      /** Null means the only field with "balance" in its name. */
      balanceField: settings.BALANCE_FIELD,
    },
    /** Certificates of authorities to trust besides the default ones, in PEM. */
    certificates: settings.NODE_EXTRA_CA_CERTS ?? [],
    certificatesFile: environment.NODE_EXTRA_CA_CERTS || null,
    accounts,
    tokenPlaces: Object.fromEntries(
      accountEntries(settings).map((entry) => [entry.name, tokenPlace(entry, environment)]),
    ),
    recipientsPlace: placeOf('DIGEST_TO', 'DIGESTS_FILE', environment),
    planning: {
      timeZone: settings.TIME_ZONE,
      lookbackDays: settings.LOOKBACK_DAYS,
      catchUpDays: settings.CATCH_UP_DAYS,
      /** Response bodies are kept this long; null for ever. */
      archiveDays: settings.ARCHIVE_DAYS,
    },
    schedule: settings.SCHEDULE,
    /** `schedule` retries this long after a run's first start. */
    retryForMs: settings.RETRY_FOR,
    digests: toDigests(settings, accounts),
    mail: {
      from: settings.DIGEST_FROM ?? 'Callsheet <callsheet@localhost>',
      replyTo: settings.DIGEST_REPLY_TO,
      outboxDirectory: settings.OUTBOX_DIR,
      /** Size of a digest's message, as it is sent. */
      maxMessageBytes: settings.DIGEST_MAX_MB * 1_000_000,
    },
    alerts: {
      to: distinctMailboxes(settings.ALERT_TO ?? []),
      /** Names this installation in their subjects. */
      installation: settings.INSTALLATION ?? os.hostname(),
      /** The operator's page as its readers reach it; null if nobody said. */
      pageUrl: settings.PAGE_URL,
    },
    http: {
      host: settings.HTTP_HOST,
      /** Null for no server. */
      port: settings.HTTP_PORT === 0 ? null : settings.HTTP_PORT,
      /** Host names that the server accepts, besides `localhost` and plain addresses. */
      names: [settings.HTTP_HOST, ...(settings.HTTP_NAMES ?? [])],
    },
    log: {
      level: settings.LOG_LEVEL,
      format: settings.LOG_FORMAT,
    },
  });
}

function tokenPlace({ sidtoken_file, sidtoken_env }: AccountEntry, environment: Environment): string {
  if (sidtoken_file) return sidtoken_file.path;
  return sidtoken_env
    ? placeOf(sidtoken_env.variable, null, environment)
    : placeOf('SIDTOKEN', 'ACCOUNTS_FILE', environment);
}

/** The file that a setting names, or the `.env` or the environment with the other setting. */
function placeOf(setting: string, fileSetting: string | null, environment: Environment): string {
  const file = fileSetting === null ? undefined : environment[fileSetting];
  if (file) return file;
  const dotenv = environment[dotenvVariable];
  return dotenv && !isOwn(setting)
    ? `${setting} in ${dotenv}`
    : `${setting} in the environment that Callsheet starts with`;
}

/** The accounts in `ACCOUNTS_FILE`, or the one of `SIDTOKEN`. */
export function accountEntries(settings: Settings): readonly AccountEntry[] {
  const { ACCOUNTS_FILE: entries, ACCOUNT_NAME: name, SIDTOKEN: token, SIDTOKEN_FILE: file } = settings;
  if (entries !== null) return entries;
  if (file !== null) return [{ name, sidtoken_file: file }];
  return token === null ? [] : [{ name, sidtoken: token }];
}

/** The recipient if messages only go to a folder and nobody is named. */
const nobody = 'manager@localhost';

const defaultLocale = 'en-GB';

/** The digests in `DIGESTS_FILE`, or the one to `DIGEST_TO`. */
function toDigests(settings: Settings, accounts: readonly Account[]): DigestDefinition[] {
  const toFolder = (settings.SMTP_URL ?? settings.SMTP_URL_FILE) === null;
  const to = settings.DIGEST_TO ?? (toFolder ? [nobody] : null);
  const single: DigestEntry[] = to === null ? [] : [{ name: 'Campaigns', to }];
  const all = accounts.map(({ name }) => name);
  const known = new Set(all);
  const coversAll = (names: readonly string[]) => new Set(names).isSupersetOf(known);
  return (settings.DIGESTS_FILE ?? single).map((entry) => ({
    name: entry.name,
    to: distinctMailboxes(entry.to),
    every: entry.every ?? 'day',
    accounts: entry.accounts ?? all,
    locale: entry.locale ?? defaultLocale,
    timeZone: entry.time_zone ?? settings.TIME_ZONE,
    extraFields: [...new Set(entry.extra_fields)],
    lowBalance: entry.low_balance ?? null,
    csv: entry.csv ?? csvStyleOf(entry.locale ?? defaultLocale),
    quietDays: entry.quiet_days ?? 'skip',
    link: coversAll(entry.accounts ?? all) ? withoutAccount(settings.DIGEST_LINK) : settings.DIGEST_LINK,
  }));
}

/** A dashboard shows all accounts if its parameter is missing: thousands of names don't fit into an address. */
function withoutAccount(link: string | null): string | null {
  if (link === null) return null;
  return link
    .replaceAll(/(?<=[?&])[^?&#=]*=\{account\}(&|(?=#|$))/g, '')
    .replaceAll(/[?&](?=#|$)/g, '')
    .replaceAll('{account}', '');
}

/** If a comma is the decimal sign, spreadsheets separate by a semicolon. */
function csvStyleOf(locale: string): CsvStyle {
  const isComma = new Intl.NumberFormat(locale).format(0.5).includes(',');
  return isComma ? { separator: ';', decimal: ',' } : { separator: ',', decimal: '.' };
}

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value) as DeepReadonly<T>;
}
