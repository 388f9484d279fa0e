import path from 'node:path';
import type { z } from 'zod';
import { Failure } from '../model/errors.ts';
import type { Redactor } from '../support/redaction.ts';
import { toConfig } from './config.ts';
import { cutValues } from './cut-values.ts';
import { didYouMean } from './did-you-mean.ts';
import type { Environment } from './environment.ts';
import { missingFile } from './files.ts';
import { conflictErrors, exampleLine, plainSettings, presenceErrors, settingsSchema } from './schema.ts';
import { createSecrets } from './secrets.ts';
import { misspeltNames, warningsOf } from './warnings.ts';

/** The parts of the settings that a command requires. */
export type Needs = { readonly service: boolean };

export type LoadedConfig = ReturnType<typeof loadConfig>;

/** All errors of the settings at once, a line each. */
export class ConfigurationFailure extends Failure {
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super('INVALID_CONFIGURATION', errors.join('; '));
    this.errors = errors;
  }
}

/**
 * Checks all settings. Returns them frozen, the secrets separately, warnings to log, and when it read them (`performance.now()`). The
 * redactor learns every secret. Throws a ConfigurationFailure that names every error, not just the first.
 */
export function loadConfig(environment: Environment, needs: Needs, redactor: Redactor) {
  const readAt = performance.now();
  const variables = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const parsed = settingsSchema(variables).safeParse(variables, { error: shortMessage, reportInput: true });
  const cut = cutValues(environment, parsed.data);
  // A value that was cut is set, and needs no second error.
  const isWhole = (name: unknown) => !cut.names.includes(String(name));
  const set = { ...variables, ...Object.fromEntries(cut.names.map((name) => [name, ''])) };
  const whole = Object.fromEntries(Object.entries(variables).filter(([name]) => isWhole(name)));
  const errors = [
    ...cut.errors,
    ...presenceErrors(set, needs.service),
    ...conflictErrors(whole),
    ...(parsed.error?.issues ?? [])
      // Errors in the entries of a file are all reported, of another setting the first.
      .filter(
        ({ path: [name, ...rest] }, index, all) =>
          rest.length > 0 || all.findIndex((issue) => issue.path[0] === name) === index,
      )
      .filter(({ path: [name] }) => isWhole(name))
      .map((issue) => errorLine(issue, variables)),
  ];
  if (parsed.data === undefined || errors.length > 0)
    throw new ConfigurationFailure([...errors, ...misspeltNames(variables, parsed.data)]);
  const config = toConfig(parsed.data, environment);
  const secrets = createSecrets(parsed.data, redactor);
  // pg logs in with this password if DATABASE_URL has none.
  redactor.learnPassword(variables.PGPASSWORD ?? '');
  const warnings = [...cut.warnings, ...warningsOf(variables, parsed.data, config, secrets)];
  return { config, secrets, warnings, readAt };
}

function shortMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'missing';
  if (
    issue.code === 'invalid_type' &&
    issue.expected === 'string' &&
    /^(number|boolean)$/.test(typeof issue.input)
  )
    return `read as a ${typeof issue.input}: put it in quotes`;
  if (issue.code !== 'unrecognized_keys') return undefined;
  // YAML reads `sidtoken:abc`, without a space, as a key. So only plain words are quoted.
  const words = issue.keys.every((key) => /^[a-z_]+$/i.test(key));
  if (!words) return 'unknown key, not even a word';
  const known = Object.keys((issue.inst as z.ZodObject).shape);
  return `unknown key ${issue.keys.map((key) => `${key}${didYouMean(key, known)}`).join(', ')}`;
}

function errorLine(issue: z.core.$ZodIssue, environment: Environment): string {
  const [name, entry, ...keys] = issue.path.map(String);
  const value = environment[name!];
  if (entry !== undefined) {
    const place = [`entry ${Number(entry) + 1}`, keys.join('.')].filter((part) => part !== '').join(', ');
    // A value from an accounts file isn't quoted: it may be a token.
    const quoted = name === 'DIGESTS_FILE' && typeof issue.input === 'string' ? quote(issue.input) : '';
    return `${name} (${value}): ${place}: ${issue.message}${quoted}`;
  }
  const { example = exampleLine(name!) } = (issue as z.core.$ZodIssueCustom).params ?? {};
  const shown = issue.message === missingFile ? path.resolve(value!) : value;
  // An address may have a token in its query, or a password.
  const isQuoted = plainSettings.includes(name!) && !name!.endsWith('_URL');
  const what = `${shortened(issue.message)}${isQuoted ? quote(shown) : ''}`;
  return `${name} is ${withoutPasswords(what)}; for example ${example}`;
}

function quote(value: unknown): string {
  return ` (${shortened(JSON.stringify(value))})`;
}

/** Somebody wrote a whole file to a setting. */
const shortened = (text: string): string =>
  text.length <= maxShownLength ? text : `${text.slice(0, maxShownLength)}…`;
const maxShownLength = 200;

/** Somebody wrote an address, with its password, to a setting of something else. */
const withoutPasswords = (line: string): string => line.replaceAll(/(:\/\/[^\s:@/"]*:)[^\s@"]+@/g, '$1…@');
