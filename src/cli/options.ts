import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { didYouMean } from '../config/did-you-mean.ts';
import { duration, wholeNumber } from '../config/formats.ts';
import { type Day, daysBetween, isDay, today } from '../model/day.ts';
import { usageFailure } from '../model/errors.ts';
import { systemClock } from '../support/clock.ts';
import { asTyped } from '../support/commands.ts';
import { formatList, plural } from '../support/english.ts';

/** What the help of a command shows below its options. */
export const exampleOf = (...words: readonly string[]): string => `\nExample:\n  ${asTyped(...words)}`;

/** For commander: a day of the command line. */
export function dayOption(value: string): Day {
  if (isDay(value) && value >= '1900-01-01') return value;
  throw new InvalidArgumentError('It is not a real day of the form YYYY-MM-DD, from 1900 on.');
}

/** For commander: a value in the form of a setting. */
export function optionOf<T>(type: z.ZodType<T>): (value: string) => T {
  return (value) => {
    const { data, error } = type.safeParse(value);
    if (error === undefined) return data;
    throw new InvalidArgumentError(`It is ${error.issues[0]!.message}.`);
  };
}

/** For commander: a whole number that needs no bound. */
export const countOption = optionOf(wholeNumber(1, 999_999_999));

/** For commander: `3h`, in milliseconds. */
export const durationOption = optionOf<number>(duration);

/** For commander: an option that may be given several times. */
export function listOption(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

type DayOptions = {
  readonly day?: Day | undefined;
  readonly from?: Day;
  readonly to?: Day;
};

/** The requested days; null where there are none. Throws a usage Failure for invalid or future ones. */
export function requestedDays(
  { day, from, to }: DayOptions,
  accounts: readonly { readonly timeZone: string }[],
): Day[] | null {
  if (day !== undefined && (from !== undefined || to !== undefined))
    throw usageFailure('--day goes without --from and --to');
  if ((from === undefined) !== (to === undefined)) throw usageFailure('--from and --to go together');
  const first = day ?? from;
  const last = day ?? to;
  if (first === undefined || last === undefined) return null;
  if (first > last) throw usageFailure(`--from ${first} is after --to ${last}`);
  const now = systemClock();
  // A day has begun once it has in any account's zone.
  if (accounts.every(({ timeZone }) => last > today(now, timeZone)))
    throw usageFailure(`${last} is in the future`);
  return daysBetween(first, last);
}

/** The requested accounts; null where none is named. Throws a usage Failure for an unknown one. */
export function requestedAccounts(
  names: readonly string[] | undefined,
  accounts: readonly { readonly name: string }[],
): string[] | null {
  if (names === undefined) return null;
  const known = accounts.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return [...new Set(names)];
  throw usageFailure(unknownName('account', unknown, known));
}

/** What to report of a name that the settings don't know: which they know, and which was probably meant. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  return `no ${what} is called ${name}${didYouMean(name, known)}; there ${plural(known.length, 'is', 'are')} ${formatList(known)}`;
}
