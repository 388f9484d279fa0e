import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { didYouMean } from '../config/did-you-mean.ts';
import type { Environment } from '../config/environment.ts';
import { duration, timeZone, wholeNumber } from '../config/formats.ts';
import { type Day, daysBetween, isDay, today, yesterday } from '../model/day.ts';
import { usageFailure } from '../model/errors.ts';
import { systemClock } from '../support/clock.ts';
import { asTyped } from '../support/commands.ts';
import { formatList } from '../support/english.ts';

/** Formats the example that the help of a command shows below its options. */
export const exampleOf = (...words: readonly string[]): string => `\nExample:\n  ${asTyped(...words)}`;

/** The help of a command that takes days. */
export const daysHelp = '\nA DAY is YYYY-MM-DD, yesterday or today.';

/** Creates a parser of a day, for commander. A wrong `TIME_ZONE` is reported once the settings are read. */
export function dayOption({ TIME_ZONE }: Environment): (value: string) => Day {
  const zone = timeZone.safeParse(TIME_ZONE).data ?? 'UTC';
  return (value) => {
    if (value === 'today') return today(systemClock(), zone);
    if (value === 'yesterday') return yesterday(systemClock(), zone);
    if (isDay(value) && value >= '1900-01-01') return value;
    throw new InvalidArgumentError('It is not a real day: YYYY-MM-DD from 1900 on, yesterday or today.');
  };
}

/** Creates a parser for commander from the type of a setting. */
export function optionOf<T>(type: z.ZodType<T>): (value: string) => T {
  return (value) => {
    const { data, error } = type.safeParse(value);
    if (error === undefined) return data;
    throw new InvalidArgumentError(`It is ${error.issues[0]!.message}.`);
  };
}

/** Parses a positive whole number that needs no particular limit, for commander. */
export const countOption = optionOf(wholeNumber(1, 999_999_999));

/** Parses `3h` into milliseconds, for commander. */
export const durationOption = optionOf<number>(duration);

/** Collects the values of an option that may be given several times, for commander. */
export function listOption(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** The options of a command over a range of days. */
export type RangeOptions = { readonly from: Day; readonly to: Day; readonly account?: readonly string[] };

/** Adds a command over a range of days, of some accounts or all. */
export function rangeCommand(program: Command, name: string, environment: Environment): Command {
  const day = dayOption(environment);
  return program
    .command(name)
    .requiredOption('--from <DAY>', 'first day', day)
    .requiredOption('--to <DAY>', 'last day', day)
    .option('--account <NAME>', 'only this account; may be repeated (default: all)', listOption)
    .addHelpText('after', daysHelp);
}

type DayOptions = {
  readonly day?: Day | undefined;
  readonly from?: Day;
  readonly to?: Day;
};

/** Throws a usage Failure if the first day is after the last. */
export function requireInOrder(from: Day, to: Day): void {
  if (from > to) throw usageFailure(`--from ${from} is after --to ${to}`);
}

/** The requested days; null if there are none. Throws a usage Failure for invalid or future days. */
export function requestedDays(
  { day, from, to }: DayOptions,
  accounts: readonly { readonly timeZone: string }[],
): Day[] | null {
  if ((from === undefined) !== (to === undefined)) throw usageFailure('--from and --to go together');
  const first = day ?? from;
  const last = day ?? to;
  if (first === undefined || last === undefined) return null;
  requireInOrder(first, last);
  const now = systemClock();
  // A day counts as begun once it has begun in the zone of any account.
  if (accounts.every(({ timeZone }) => last > today(now, timeZone)))
    throw usageFailure(`${last} is in the future`);
  return daysBetween(first, last);
}

/** The requested accounts; null if none is named. Throws a usage Failure for an unknown one. */
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

/** The message about an unknown name. It lists the known names, and suggests the one probably meant. */
export function unknownName(what: string, name: string, known: readonly string[]): string {
  return `no ${what} is called ${name}${didYouMean(name, known)}; known: ${formatList(known)}`;
}
