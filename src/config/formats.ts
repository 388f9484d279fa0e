import { z } from 'zod';
import { expressionErrors } from '../schedule/expression.ts';
import { minSecretLength } from '../support/redaction.ts';

// The formats of settings. Each message completes "NAME is …".

/** Returns what is wrong with `value`; null if nothing is. */
export function errorOf(type: z.ZodType, value: unknown): string | null {
  const { error } = type.safeParse(value);
  return error === undefined ? null : error.issues[0]!.message;
}

/** Returns null if `read` throws. */
export function resultOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Not an address: its password would be in the path of a folder that is made, or in a message. */
export const filePath = z.string().refine((path) => !path.includes('://'), {
  error: 'an address, where the path of a file or folder belongs',
  abort: true,
});

export function wholeNumber(min: number, max: number) {
  return boundedNumber(/^\d+$/, min, max, `not a whole number from ${min} to ${max}`);
}

/** A port; 0 is any free one. Kubernetes sets `HTTP_PORT=tcp://…` if its namespace has a Service called `http`. */
export const port = z
  .string()
  .refine(
    (text) => !text.startsWith('tcp://'),
    'an address that Kubernetes sets for a Service called http; set enableServiceLinks: false in the pod',
  )
  .pipe(wholeNumber(0, 65_535));

/** Times per second: `0.5`, `20`. */
export const rate = boundedNumber(/^\d+(\.\d+)?$/, 0.01, 1_000, 'not a number from 0.01 to 1000');

const msPerUnit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const notADuration = 'not a duration above zero with its unit (ms, s, m, h)';

/** `30s`, `500ms`, `2m`. Becomes milliseconds, at most what a timer can hold. */
export const duration = boundedNumber(/^\d+(ms|s|m|h)$/, 1, 2 ** 31 - 1, notADuration, (text) => {
  const unit = /\D+/.exec(text)![0] as keyof typeof msPerUnit;
  return Number.parseInt(text, 10) * msPerUnit[unit];
});

function boundedNumber(
  pattern: RegExp,
  min: number,
  max: number,
  error: string,
  read: (text: string) => number = Number,
) {
  const number = z.number(error).min(min, error).max(max, error);
  return z.string().regex(pattern, error).transform(read).pipe(number);
}

export const yesOrNo = z.stringbool({
  truthy: ['true', 'yes', '1'],
  falsy: ['false', 'no', '0'],
  error: 'neither true nor false',
});

export function oneOf<const T extends readonly string[]>(...choices: T) {
  return z.enum(choices, `not one of ${choices.join(', ')}`);
}

/** A text for which `find` returns a canonical name. For others, `find` throws or returns undefined. */
function known(find: (text: string) => string | undefined, error: string) {
  const canonical = (text: string) => resultOrNull(() => find(text)) ?? null;
  return z
    .string()
    .refine((text) => canonical(text) !== null, error)
    .overwrite((text) => canonical(text) ?? text);
}

const epoch = Temporal.Instant.fromEpochMilliseconds(0);

export const timeZone = known(
  // An offset isn't accepted: Postgres reads its sign the other way round.
  (name) => (/^[a-z]/i.test(name) ? epoch.toZonedDateTimeISO(name).timeZoneId : undefined),
  'not a time zone of the IANA database',
);

/** A BCP 47 tag. This machine can format numbers and dates for it. */
export const locale = known((tag) => Intl.DateTimeFormat.supportedLocalesOf(tag)[0], 'not a known locale');

/** Five fields, or six that begin with seconds. */
export const cronExpression = z
  .string()
  .overwrite((expression) => expression.trim().replaceAll(/\s+/g, ' '))
  .superRefine((expression, context) => {
    const errors = expressionErrors(expression);
    if (errors.length > 0) context.addIssue(`not a cron expression: ${errors.join(', ')}`);
  });

/** A longer one is no secret: somebody named another file, or a write went wrong. */
export const maxSecretLength = 4_096;
export const tooLong = `longer than ${maxSecretLength} characters`;

/** A secret that people and machines send. It is too long to be guessed. */
export const passphrase = z
  .string()
  .max(maxSecretLength, tooLong)
  .regex(/^[\x21-\x7e]+$/, 'not plain ASCII without spaces')
  .min(16, 'shorter than 16 characters');

const isToken = (text: string) => !/[\p{C}\s]/u.test(text);
const tooShort = `too short to be kept out of logs: use at least ${minSecretLength} characters`;
export const tokenText = z
  .string()
  .max(maxSecretLength, tooLong)
  .refine(isToken, 'not a token: it contains a space or an invisible character')
  .min(minSecretLength, tooShort);

/** Returns what is wrong with a password in an address or a variable, which may be empty; null if nothing is. */
export const passwordError = (password: string): string | null =>
  password !== '' && password.length < minSecretLength ? tooShort : null;

const notAShortName = 'not a short name of letters, digits, spaces, dots, dashes';

/** The name of an account or a digest. */
export const shortName = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,62}$/u, notAShortName);
