import { z } from 'zod';
import type { Account } from '../model/account.ts';
import type { Environment } from './environment.ts';
import { readListFile, repeated } from './list-file.ts';
import { type Parser, text, timeZone as timeZoneParser } from './parsers.ts';
import { readSecretFile, type SettingReader } from './reader.ts';

/** Gives the token of an account; read anew on each call where it stands in a file, for it may be rotated. */
export type TokenSource = () => string;

export type AccountSettings = {
  readonly accounts: readonly Account[];
  readonly tokens: ReadonlyMap<string, TokenSource>;
  /** The variables that tokens are taken from, beside our own. */
  readonly variables: readonly string[];
};

/** The accounts: one from `SIDTOKEN`, or those of `ACCOUNTS_FILE`. None where neither is set. */
export function readAccounts(
  reader: SettingReader,
  environment: Environment,
  timeZone: string,
): AccountSettings {
  const path = reader.optional('ACCOUNTS_FILE', text, 'accounts.yaml');
  const name = reader.withDefault('ACCOUNT_NAME', accountName, 'main', 'main');
  if (path === null) return single(reader, environment, name, timeZone);
  if (reader.isSet('SIDTOKEN'))
    reader.faults.push('SIDTOKEN and ACCOUNTS_FILE are both set: keep one of them');
  return fromFile(reader.faults, environment, path, timeZone);
}

const accountName: Parser<string> = (value) => {
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,62}$/u.test(value)) return value;
  throw new Error('not a short name of letters, digits, spaces, dots, dashes');
};

function single(
  reader: SettingReader,
  environment: Environment,
  name: string,
  timeZone: string,
): AccountSettings {
  const token = reader.secret('SIDTOKEN', tokenText, '<SID_TOKEN>');
  if (token === null) return { accounts: [], tokens: new Map(), variables: [] };
  const file = environment.SIDTOKEN_FILE;
  const source = file ? fileSource(file, token) : () => token;
  return { accounts: [{ name, label: name, timeZone }], tokens: new Map([[name, source]]), variables: [] };
}

const tokenText: Parser<string> = (value) => {
  if (value.isWellFormed() && !/\p{Cc}|\s/u.test(value)) return value;
  throw new Error('a text with white space or control characters in it');
};

// The last value that could be read serves while the file is being replaced.
function fileSource(path: string, first: string): TokenSource {
  let last = first;
  return () => {
    const content = readSecretFile(path);
    if (typeof content === 'string') last = content;
    return last;
  };
}

function by<T>(parse: Parser<T>) {
  return (value: string, context: z.RefinementCtx): T => {
    try {
      return parse(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  };
}

const entrySchema = z.strictObject({
  name: z.string().transform(by(accountName)),
  label: z.string().min(1).optional(),
  sidtoken: z.string().min(1).transform(by(tokenText)).optional(),
  sidtoken_file: z.string().min(1).optional(),
  sidtoken_env: z.string().min(1).optional(),
  client: z.strictObject({ account: z.string(), id: z.int().nonnegative() }).optional(),
  time_zone: z.string().transform(by(timeZoneParser)).optional(),
});
type Entry = z.infer<typeof entrySchema>;

function fromFile(
  faults: string[],
  environment: Environment,
  path: string,
  timeZone: string,
): AccountSettings {
  const entries = readListFile('ACCOUNTS_FILE', path, entrySchema, faults) ?? [];
  const names = entries.map((entry) => entry.name);
  for (const name of repeated(names))
    faults.push(`ACCOUNTS_FILE (${path}): the name ${name} stands in it twice`);

  const tokens = new Map<string, TokenSource>();
  for (const [index, entry] of entries.entries()) {
    // Not the name: where a colon was forgotten, the token is part of it.
    const place = `ACCOUNTS_FILE (${path}): entry ${index + 1}`;
    const source = tokenSource(entry, environment);
    if (typeof source === 'function') tokens.set(entry.name, source);
    else faults.push(`${place}${source.fault}`);
    if (entry.client && !names.includes(entry.client.account))
      faults.push(`${place}, client.account: no account of the file`);
  }
  return {
    accounts: entries.map((entry) => toAccount(entry, timeZone)),
    tokens,
    variables: entries.flatMap((entry) => entry.sidtoken_env ?? []),
  };
}

function toAccount(entry: Entry, timeZone: string): Account {
  return {
    name: entry.name,
    label: entry.label ?? entry.name,
    timeZone: entry.time_zone ?? timeZone,
    ...(entry.client && { client: entry.client }),
  };
}

function tokenSource(entry: Entry, environment: Environment): TokenSource | { readonly fault: string } {
  const { sidtoken, sidtoken_file: file, sidtoken_env: variable } = entry;
  if ([sidtoken, file, variable].filter((each) => each !== undefined).length !== 1) {
    return { fault: ' needs one of sidtoken, sidtoken_file and sidtoken_env' };
  }
  if (sidtoken !== undefined) return () => sidtoken;
  if (file !== undefined) {
    const content = readSecretFile(file);
    if (typeof content !== 'string') return { fault: `, sidtoken_file: names a file that ${content.fault}` };
    return checked('sidtoken_file', content, fileSource(file, content));
  }
  const value = environment[variable!];
  if (!value) return { fault: `, sidtoken_env: names a variable that isn't set` };
  return checked('sidtoken_env', value, () => value);
}

function checked(key: string, token: string, source: TokenSource): TokenSource | { readonly fault: string } {
  try {
    tokenText(token);
    return source;
  } catch (error) {
    return { fault: `, ${key}: ${(error as Error).message}` };
  }
}
