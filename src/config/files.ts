import { X509Certificate } from 'node:crypto';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { quietDaysChoices } from '../model/digest.ts';
import { Failure } from '../model/errors.ts';
import { everyChoices } from '../model/period.ts';
import { mailAddress } from './addresses.ts';
import { didYouMean } from './did-you-mean.ts';
import { type Environment, unquoted } from './environment.ts';
import { notUtf8, readFileOfSettings } from './files-read.ts';
import { errorOf, filePath, locale, resultOrNull, shortName, timeZone, tokenText } from './formats.ts';

// Files that settings name by their path. No message quotes a value from a file: it may be a token.

/** A file with one secret. `read` reads it again: somebody may have replaced the secret. */
export type SecretFile = {
  readonly path: string;
  readonly content: string;
  /** Throws a Failure that names the file if it has no secret of its setting any more. */
  readonly read: () => string;
};

/** Turns the path of a file with one secret into the path and the secret, which is checked whenever it is read. */
export function secretFile(type: z.ZodType, example: string) {
  function read(path: string): string {
    const content = readSecret(path);
    const error = errorOf(type, content);
    if (error !== null) throw new UnusableFile(`a file whose content is ${error}`, example);
    return content;
  }
  function readAgain(path: string): string {
    try {
      return read(path);
    } catch (error) {
      throw new Failure('INVALID_CONFIGURATION', `${path} is ${readError(error)}`, {
        advice: 'correct the file: it is read again',
      });
    }
  }
  return fileRead(
    (path): SecretFile => ({
      path,
      content: read(path),
      read: () => readAgain(path),
    }),
  );
}

/** The certificates of authorities in a PEM file. Node itself silently skips what it can't read. */
export const certificatesFile = fileRead((path) => {
  // Comments beside them may be in any encoding.
  const content = readFileOfSettings(path, new TextDecoder('latin1'));
  const certificates = content.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (certificates === null) throw new UnusableFile('a file without a certificate in PEM');
  if (certificates.some((each) => resultOrNull(() => new X509Certificate(each)) === null))
    throw new UnusableFile("a file with a certificate that can't be read");
  return [...certificates];
});

/** Returns the content of a file, without white space and quotes around it. Throws an error if it can't be read or is empty. */
function readSecret(path: string): string {
  const content = unquoted(readFileOfSettings(path));
  if (content === '') throw new UnusableFile('an empty file');
  return content;
}

/** A list in a YAML or JSON file. Each entry has a unique name. */
function listFile<T extends z.ZodType<{ readonly name: string }>>(entry: T) {
  const list = z.array(entry, 'a file without a list in it').min(1, 'a file with an empty list');
  return fileRead(readYaml)
    .pipe(list)
    .superRefine((entries, context) => {
      const firsts = new Map<string, number>();
      for (const [index, { name }] of entries.entries()) {
        const first = firsts.get(name);
        if (first === undefined) firsts.set(name, index);
        else report(context, [index, 'name'], `entry ${first + 1} has the same name`);
      }
    });
}

function readYaml(path: string): unknown {
  // Loaded on demand: most starts read no file.
  const yaml: typeof import('yaml') = createRequire(import.meta.url)('yaml');
  const content = readFileOfSettings(path);
  const document = yaml.parseDocument(content, { logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) throw new UnusableFile(syntaxError(content, error.linePos?.[0].line ?? 1));
  try {
    return document.toJS();
  } catch {
    // `sidtoken: *Zq7` refers to an anchor that nobody set.
    let at = 0;
    yaml.visit(document, {
      Alias: (_, alias) => {
        if (alias.resolve(document) !== undefined) return undefined;
        at = alias.range![0];
        return yaml.visit.BREAK;
      },
    });
    const line = content.slice(0, at).split('\n').length;
    throw new UnusableFile(
      `a file with a * or << that YAML can't resolve (line ${line}): put such a value in quotes`,
    );
  }
}

/** A tab may indent the line: the reader doesn't always name it. JSON may have tabs. */
function syntaxError(content: string, line: number): string {
  const isTabbed = !/^\s*[[{]/.test(content) && /^[ -]*\t/.test(content.split('\n')[line - 1] ?? '');
  if (isTabbed) return `a file with a tab in the indentation of line ${line}, where YAML needs spaces`;
  return `a file that isn't YAML or JSON (line ${line})`;
}

/** Turns a path into what `read` returns for it. */
function fileRead<T>(read: (path: string) => T) {
  return filePath.transform((path, context) => {
    try {
      return read(path);
    } catch (error) {
      const params = error instanceof UnusableFile && error.example ? { example: error.example } : {};
      context.addIssue({ code: 'custom', message: readError(error), params });
      return z.NEVER;
    }
  });
}

/** The error of a setting with the path of a missing file. */
export const missingFile = "a file that doesn't exist";

/** An error of a file in our own words: a library's message may quote a value. */
class UnusableFile extends Error {
  /** An example of its content. */
  readonly example: string | null;

  constructor(message: string, example: string | null = null) {
    super(message);
    this.example = example;
  }
}

function readError(error: unknown): string {
  if (error instanceof UnusableFile) return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return missingFile;
  if (code === notUtf8) return "a file that isn't saved as UTF-8";
  return code === undefined ? "a file that can't be read" : `a file that can't be read (${code})`;
}

/** Reports an error and lets the other checks run: if the error is a mere text, zod skips them. */
function report(context: z.RefinementCtx, path: (string | number)[], message: string): void {
  context.addIssue({ code: 'custom', path, message });
}

export type AccountEntry = z.output<ReturnType<typeof accountEntry>>;

/** The accounts in a file. A token is in that file, in its own file or in a variable of `environment`. */
export function accountsFile(environment: Environment) {
  return listFile(accountEntry(environment)).superRefine((entries, context) => {
    const names = new Set(entries.map(({ name }) => name));
    for (const [index, { client }] of entries.entries()) {
      if (client === undefined || names.has(client.account)) continue;
      const near = didYouMean(client.account, [...names]);
      report(context, [index, 'client', 'account'], `no account of the file${near}`);
    }
  });
}

/** The names of the accounts in a file, without reading their tokens. */
export const accountNames = listFile(z.object({ name: shortName }));

const tokenKeys = ['sidtoken', 'sidtoken_file', 'sidtoken_env'] as const;

function accountEntry(environment: Environment) {
  return z
    .strictObject({
      name: shortName,
      label: z.string().min(1).optional(),
      sidtoken: tokenText.optional(),
      sidtoken_file: secretFile(tokenText, '<SID_TOKEN>').optional(),
      sidtoken_env: tokenVariable(environment).optional(),
      client: z.strictObject({ account: z.string(), id: z.int().nonnegative() }).optional(),
      time_zone: timeZone.optional(),
    })
    .refine((entry) => tokenKeys.filter((key) => entry[key] !== undefined).length === 1, {
      error: 'needs one of sidtoken, sidtoken_file and sidtoken_env',
      // Even if another key is malformed.
      when: ({ value }) => typeof value === 'object' && value !== null,
    });
}

function tokenVariable(environment: Environment) {
  return z.string().transform((variable, context) => {
    const token = environment[variable] ?? '';
    const error = errorOf(tokenText, token);
    if (error === null) return { variable, token };
    context.addIssue(token === '' ? "a variable that isn't set" : `a variable whose content is ${error}`);
    return z.NEVER;
  });
}

const csvStyle = z
  .strictObject({
    separator: z.enum([',', ';', '\t'], 'not a comma, a semicolon or a tab'),
    decimal: z.enum(['.', ','], 'not a point or a comma'),
  })
  .refine(
    ({ separator, decimal }) => separator !== decimal,
    'the separator and the decimal sign are the same',
  );

export type DigestEntry = z.output<ReturnType<typeof digestsFile>>[number];

/** The digests in a file. They may name only `accounts`; null if those aren't known. */
export function digestsFile(accounts: ReadonlySet<string> | null) {
  const known = z
    .array(z.string())
    .min(1)
    .superRefine((names, context) => {
      if (accounts === null) return;
      const unknown = names.find((name) => !accounts.has(name));
      if (unknown !== undefined)
        report(context, [], `no account is called ${unknown}${didYouMean(unknown, [...accounts])}`);
    });
  return listFile(
    z.strictObject({
      name: shortName,
      to: z.preprocess((to) => (typeof to === 'string' ? [to] : to), z.array(mailAddress).min(1)),
      every: z.enum(everyChoices, 'not day, week or month').optional(),
      accounts: known.optional(),
      locale: locale.optional(),
      time_zone: timeZone.optional(),
      extra_fields: z.array(z.string().min(1)).optional(),
      low_balance: z.number().optional(),
      csv: csvStyle.optional(),
      quiet_days: z.enum(quietDaysChoices, 'not skip or mail').optional(),
    }),
  );
}
