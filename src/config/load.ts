import { Failure } from '../model/failure.ts';
import type { Redactor } from '../support/redaction.ts';
import { type AccountSettings, readAccounts } from './accounts.ts';
import type { Config, HttpConfig, MailConfig, PlanningConfig, ServiceConfig } from './config.ts';
import { readDigests } from './digests.ts';
import type { Environment } from './environment.ts';
import * as parse from './parsers.ts';
import { createReader, type SettingReader } from './reader.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { warnOfNames } from './setting-names.ts';

/** Which parts of the settings a command can't do without. */
export type Needs = { readonly service: boolean };

export type LoadedConfig = {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly warnings: readonly string[];
};

/** All faults of the settings at once, a line each. */
export class ConfigurationFailure extends Failure {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super('configuration', faults.join('; '), 'mend the settings');
    this.faults = faults;
  }
}

/**
 * The settings of the contract, checked and frozen, apart from the secrets.
 * The redactor learns every secret. Throws a ConfigurationFailure that names every fault, not just the first.
 */
export function loadConfig(environment: Environment, needs: Needs, redactor: Redactor): LoadedConfig {
  const reader = createReader(environment);
  const planning = readPlanning(reader);
  const service = readService(reader, needs);
  const { accounts, tokens, variables } = readAccounts(reader, environment, planning.timeZone);
  if (needs.service) requireAccounts(reader, accounts);
  const databaseUrl = reader.secret('DATABASE_URL', parse.databaseUrl, databaseExample);
  const migrateDatabaseUrl = reader.secret('MIGRATE_DATABASE_URL', parse.databaseUrl, databaseExample);
  const smtpUrl = reader.secret('SMTP_URL', parse.smtpUrl, 'smtp://user:password@mail.example.com:587');
  const httpToken = reader.secret('HTTP_TOKEN', parse.passphrase, '<32 random characters>');
  const healthcheckUrl = reader.optional(
    'HEALTHCHECK_URL',
    parse.url('http:', 'https:'),
    'https://hc-ping.com/<UUID>',
  );
  const names = accounts.map((account) => account.name);
  const config: Config = {
    service,
    accounts,
    planning,
    schedule: reader.withDefault('SCHEDULE', parse.cronExpression, '30 6 * * *', '"30 6 * * *"'),
    digests: readDigests(reader, names, planning.timeZone, smtpUrl === null),
    mail: readMail(reader, smtpUrl !== null),
    http: readHttp(reader),
    log: {
      level: reader.withDefault('LOG_LEVEL', parse.logLevel, 'info', 'info'),
      format: reader.withDefault('LOG_FORMAT', parse.oneOf('json', 'pretty'), standardFormat(), 'json'),
    },
  };
  if (reader.faults.length > 0) throw new ConfigurationFailure(reader.faults);
  return {
    config: deepFreeze(config),
    secrets: createSecrets(
      { tokens, databaseUrl, migrateDatabaseUrl, smtpUrl, httpToken, healthcheckUrl },
      redactor,
    ),
    warnings: [...warnOfNames(environment, variables), ...warnOfNobody(config)],
  };
}

const databaseExample = 'postgres://callsheet:password@db.example.com:5432/callsheet';
const standardFormat = () => (process.stderr.isTTY ? 'pretty' : 'json');

function readPlanning(reader: SettingReader): PlanningConfig {
  return {
    timeZone: reader.withDefault('TIME_ZONE', parse.timeZone, 'UTC', 'Europe/Madrid'),
    lookbackDays: reader.withDefault('LOOKBACK_DAYS', parse.wholeNumber(0, 366), 3, '3'),
    catchUpDays: reader.withDefault('CATCH_UP_DAYS', parse.wholeNumber(1, 3660), 31, '31'),
    digestCatchUp: reader.withDefault('DIGEST_CATCH_UP', parse.wholeNumber(1, 366), 3, '3'),
    archiveDays: reader.optional('ARCHIVE_DAYS', parse.wholeNumber(2, 36_600), '400'),
  };
}

function readService(reader: SettingReader, needs: Needs): ServiceConfig {
  const example = 'https://service.example.com/api';
  const baseUrl = needs.service
    ? reader.required('SERVICE_BASE_URL', parse.serviceUrl, example)
    : reader.optional('SERVICE_BASE_URL', parse.serviceUrl, example);
  return {
    baseUrl: baseUrl ?? '',
    pageLimit: reader.withDefault('PAGE_LIMIT', parse.wholeNumber(1, 100_000), 100, '100'),
    concurrency: reader.withDefault('CONCURRENCY', parse.wholeNumber(1, 64), 8, '8'),
    ratePerSecond: reader.optional('RATE_PER_SECOND', parse.rate, '5'),
    requestTimeoutMs: reader.withDefault('REQUEST_TIMEOUT', parse.duration, 30_000, '30s'),
    retries: reader.withDefault('RETRIES', parse.wholeNumber(0, 20), 4, '4'),
    windowEnd: reader.withDefault('WINDOW_END', parse.oneOf('same-day', 'next-day'), 'same-day', 'same-day'),
    balance: reader.withDefault('CLIENT_BALANCE', parse.yesOrNo, true, 'true'),
    balanceField: reader.optional('BALANCE_FIELD', parse.text, 'balance'),
  };
}

function readMail(reader: SettingReader, bySmtp: boolean): MailConfig {
  const example = '"Callsheet <callsheet@example.com>"';
  const from = bySmtp
    ? reader.required('DIGEST_FROM', parse.mailbox, example)
    : reader.optional('DIGEST_FROM', parse.mailbox, example);
  return {
    from: from ?? 'Callsheet <callsheet@localhost>',
    replyTo: reader.optional('DIGEST_REPLY_TO', parse.mailAddress, 'ana@example.com'),
    alertTo: reader.withDefault('ALERT_TO', parse.mailAddresses, [], 'ops@example.com'),
    outboxDirectory: reader.withDefault('OUTBOX_DIR', parse.text, 'outbox', 'outbox'),
    maxAttachmentBytes:
      reader.withDefault('DIGEST_MAX_MB', parse.wholeNumber(1, 1_000), 10, '10') * 1_000_000,
  };
}

function readHttp(reader: SettingReader): HttpConfig {
  const host = reader.withDefault('HTTP_HOST', parse.hostName, '127.0.0.1', '127.0.0.1');
  const port = reader.withDefault('HTTP_PORT', parse.wholeNumber(0, 65_535), 8080, '8080');
  const names = reader.withDefault('HTTP_NAMES', parse.hostNames, [], 'callsheet.example.com');
  return { host, port: port === 0 ? null : port, names: [host, ...names] };
}

function requireAccounts(reader: SettingReader, accounts: AccountSettings['accounts']): void {
  const attempted = reader.isSet('SIDTOKEN') || reader.isSet('ACCOUNTS_FILE');
  if (accounts.length > 0 || attempted) return;
  reader.faults.push('SIDTOKEN is missing, and so is ACCOUNTS_FILE; right would be SIDTOKEN=<SID_TOKEN>');
}

function warnOfNobody(config: Config): string[] {
  if (config.digests.length > 0) return [];
  return ['SMTP_URL is set, but no digest has a recipient: set DIGEST_TO or DIGESTS_FILE'];
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(deepFreeze);
  return Object.freeze(value);
}
