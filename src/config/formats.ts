import { z } from 'zod';
import { expressionErrors } from '../schedule/expression.ts';

// The forms in which settings are written. Each message completes "NAME is …".

/** What is wrong with `value`; null if nothing is. */
export function errorOf(type: z.ZodType, value: unknown): string | null {
  return type.safeParse(value).error?.issues[0]?.message ?? null;
}

export function wholeNumber(min: number, max: number) {
  return numberLike(/^\d+$/, min, max, `not a whole number from ${min} to ${max}`);
}

/** Times a second, `0.5` or `20`. */
export const rate = numberLike(/^\d+(\.\d+)?$/, 0.01, 1_000, 'not a number from 0.01 to 1000');

function numberLike(pattern: RegExp, min: number, max: number, error: string) {
  return z
    .string()
    .regex(pattern, error)
    .transform(Number)
    .pipe(between(min, max, error));
}

function between(min: number, max: number, error: string) {
  return z.number(error).min(min, error).max(max, error);
}

export const yesOrNo = z
  .string()
  .toLowerCase()
  .pipe(z.enum(['true', 'yes', '1', 'false', 'no', '0'], 'neither true nor false'))
  .transform((word) => ['true', 'yes', '1'].includes(word));

export function oneOf<const T extends readonly string[]>(...choices: T) {
  return z.enum(choices, `not one of ${choices.join(', ')}`);
}

const msPerUnit = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const notADuration = 'not a duration above zero with its unit (ms, s, m, h)';

/** `30s`, `500ms`, `2m`; milliseconds. Bounded by what a timer can hold. */
export const duration = z
  .string()
  .regex(/^\d+(ms|s|m|h)$/, notADuration)
  .transform((duration) => {
    const unit = duration.replace(/^\d+/, '') as keyof typeof msPerUnit;
    return Number.parseInt(duration, 10) * msPerUnit[unit];
  })
  .pipe(between(1, 2 ** 31 - 1, notADuration));

/** A text that `find` knows by its canonical name; it throws or gives undefined for any other. */
function known(find: (text: string) => string | undefined, error: string) {
  return z.string().transform((text, context) => {
    try {
      const name = find(text);
      if (name !== undefined) return name;
    } catch {
      // Malformed.
    }
    context.addIssue(error);
    return z.NEVER;
  });
}

const epoch = Temporal.Instant.fromEpochMilliseconds(0);

export const timeZone = known(
  // Not an offset: Postgres reads its sign the other way round.
  (name) => (/^[a-z]/i.test(name) ? epoch.toZonedDateTimeISO(name).timeZoneId : undefined),
  'not a time zone of the IANA database',
);

/** A BCP 47 tag that this machine knows how to write numbers and dates in. */
export const locale = known(
  (tag) => Intl.DateTimeFormat.supportedLocalesOf(tag)[0],
  'not a locale that is known here',
);

/** Five fields, or six that begin with seconds. */
export const cronExpression = z
  .string()
  .overwrite((expression) => expression.trim().replaceAll(/\s+/g, ' '))
  .superRefine((expression, context) => {
    const errors = expressionErrors(expression);
    if (errors.length > 0) context.addIssue(`not a cron expression: ${errors.join(', ')}`);
  });

/** A secret that people and machines send: long enough not to be guessed. */
export const passphrase = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'a text with white space or other than ASCII in it')
  .min(16, 'shorter than 16 characters');

export const tokenText = z
  .string()
  .refine(
    (token) => token.isWellFormed() && !/\p{Cc}|\s/u.test(token),
    'a text with white space or control characters in it',
  );

/** The name of an account or a digest. */
export const shortName = z
  .string()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,62}$/u,
    'not a short name of letters, digits, spaces, dots, dashes',
  );
