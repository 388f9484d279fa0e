import type { z } from 'zod';
import { Failure } from '../model/errors.ts';
import { longSecretLength, type Redactor } from '../support/redaction.ts';
import { accountEntries, toConfig } from './config.ts';
import { databaseUrlWarnings } from './database-url.ts';
import type { Environment } from './environment.ts';
import { warnOfNames } from './misspelt-names.ts';
import { didYouMean } from './near-miss.ts';
import { warnOfReadableFiles } from './readable-files.ts';
import {
  conflictErrors,
  exampleLine,
  plainSettings,
  presenceErrors,
  settingNames,
  settingsSchema,
} from './schema.ts';
import { createSecrets } from './secrets.ts';
import { comments, meantValue, writingError } from './written.ts';

/** Which parts of the settings a command can't do without. */
export type Needs = { readonly service: boolean };

export type LoadedConfig = ReturnType<typeof loadConfig>;

/** All errors of the settings at once, a line each. */
export class ConfigurationFailure extends Failure {
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super('INVALID_CONFIGURATION', errors.join('; '), 'correct the settings');
    this.errors = errors;
  }
}

/**
 * The settings of the contract, checked and frozen, apart from the secrets, and warnings to log.
 * The redactor learns every secret. Throws a ConfigurationFailure that names every error, not just the first.
 */
export function loadConfig(environment: Environment, needs: Needs, redactor: Redactor) {
  const written = Object.entries(environment).map(([name, value]) => [name, meantValue(value ?? '')]);
  const variables = Object.fromEntries(written.filter(([, value]) => value));
  const parsed = settingsSchema(variables).safeParse(variables, { error: shortMessage, reportInput: true });
  const unclear = writingErrors(environment);
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !unclear.has(String(path[0])));
  const errors = [
    ...unclear.values(),
    ...presenceErrors(variables, needs.service),
    ...conflictErrors(variables),
    ...issues.filter(isFirst).map((issue) => errorLine(issue, variables)),
  ];
  if (parsed.data === undefined || errors.length > 0) throw new ConfigurationFailure(errors);
  const config = toConfig(parsed.data);
  const used = accountEntries(parsed.data).map(({ sidtoken_env }) => sidtoken_env?.variable);
  const secrets = createSecrets(parsed.data, redactor);
  // What pg logs in with where DATABASE_URL has no password.
  redactor.learn(variables.PGPASSWORD ?? '');
  const warnings = [
    ...warnOfNames(variables, used),
    ...warnOfReadableFiles(parsed.data, variables),
    ...databaseUrlWarnings('DATABASE_URL', secrets.databaseUrl()),
    ...databaseUrlWarnings('MIGRATE_DATABASE_URL', secrets.migrateDatabaseUrl()),
  ];
  if (config.digests.length === 0)
    warnings.push('SMTP_URL is set, but no digest has a recipient: set DIGEST_TO or DIGESTS_FILE');
  const accounts = config.accounts.map(({ name }) => name);
  for (const name of accounts) if (isShort(secrets.token(name))) warnings.push(shortTokenWarning(name));
  return { config, secrets, warnings };
}

const isShort = (token: string) => token.length < longSecretLength;

function shortTokenWarning(account: string): string {
  const what = `the session token of account ${account} has fewer than ${longSecretLength} characters`;
  return `${what}: logs lose every word that contains it, and the warehouse keeps it within longer values; use a longer one`;
}

function shortMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'missing';
  if (issue.code !== 'unrecognized_keys') return undefined;
  // `sidtoken:abc`, without a space, is a key: only plain words are quoted.
  const words = issue.keys.every((key) => /^[a-z_]+$/i.test(key));
  if (!words) return 'unknown key, not even a word';
  const known = Object.keys((issue.inst as z.ZodObject).shape);
  return `unknown key ${issue.keys.map((key) => `${key}${didYouMean(key, known)}`).join(', ')}`;
}

/** Names of people, and of files. */
const mayHoldHash = (name: string) =>
  name.endsWith('_FILE') || ['DIGEST_FROM', 'OUTBOX_DIR', 'NODE_EXTRA_CA_CERTS'].includes(name);

/** By name, the errors of settings whose value may not be what was meant; nothing else is said of them. */
function writingErrors(environment: Environment): ReadonlyMap<string, string> {
  const commentIn = (name: string) => (mayHoldHash(name) ? comments.hashByItself : comments.anyHash);
  const errors = settingNames.map(
    (name) => [name, writingError(environment[name] ?? '', commentIn(name))] as const,
  );
  const found = errors.filter(([, error]) => error !== null);
  return new Map(found.map(([name, error]) => [name, `${name} ${error}; for example ${exampleLine(name)}`]));
}

/** Only the first of several errors of one value is reported; each entry of a file has its own. */
function isFirst({ path }: z.core.$ZodIssue, index: number, all: readonly z.core.$ZodIssue[]): boolean {
  return path.length > 1 || all.findIndex((issue) => issue.path[0] === path[0]) === index;
}

function errorLine(issue: z.core.$ZodIssue, environment: Environment): string {
  const [name, entry, ...keys] = issue.path.map(String);
  const value = environment[name!];
  if (entry !== undefined) {
    const place = [`entry ${Number(entry) + 1}`, keys.join('.')].filter((part) => part !== '').join(', ');
    // No value of an accounts file: it may be a token.
    const quoted = name === 'DIGESTS_FILE' && typeof issue.input === 'string' ? quote(issue.input) : '';
    return `${name} (${value}): ${place}: ${issue.message}${quoted}`;
  }
  const { example = exampleLine(name!) } = (issue as z.core.$ZodIssueCustom).params ?? {};
  return `${name} is ${issue.message}${mayQuote(name!) ? quote(value) : ''}; for example ${example}`;
}

/** An address may have a token in its query, or a password. */
function mayQuote(name: string): boolean {
  return plainSettings.includes(name) && !name.endsWith('_URL');
}

function quote(value: unknown): string {
  return ` (${JSON.stringify(value)})`;
}
