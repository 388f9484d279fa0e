import { InvalidArgumentError } from 'commander';
import { type Day, isDay } from '../model/day.ts';
import { usageFailure } from '../model/failure.ts';
import { daysBetween, today } from '../planning/business-day.ts';

/** For commander: a day of the command line. */
export function dayOption(value: string): Day {
  if (isDay(value) && value >= '1900-01-01') return value;
  throw new InvalidArgumentError('It is not a real day of the form YYYY-MM-DD, from 1900 on.');
}

/** For commander: a whole number from 1 on. */
export function countOption(value: string): number {
  if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It is not a whole number from 1 on.');
}

/** For commander: requests at once, as CONCURRENCY has them. */
export function concurrencyOption(value: string): number {
  const number = /^\d{1,2}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= 64) return number;
  throw new InvalidArgumentError('It is not a whole number from 1 to 64.');
}

/** For commander: a port; 0 is any free one. */
export function portOption(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('It is not a port from 0 to 65535.');
}

/** For commander: the id of a campaign. */
export function idOption(value: string): number {
  const id = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new InvalidArgumentError('It is not a whole number.');
}

/** For commander: an option that may be given several times. */
export function listOption(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export type DayOptions = { readonly day?: Day; readonly from?: Day; readonly to?: Day };

/** The requested days; null where there are none. Throws a usage Failure for invalid ones. */
export function requestedDays({ day, from, to }: DayOptions, latest: Day): Day[] | null {
  if (day !== undefined && (from !== undefined || to !== undefined)) {
    throw usageFailure('--day goes without --from and --to');
  }
  if ((from === undefined) !== (to === undefined)) throw usageFailure('--from and --to go together');
  const first = day ?? from;
  const last = day ?? to;
  if (first === undefined || last === undefined) return null;
  if (first > last) throw usageFailure(`--from ${first} is after --to ${last}`);
  if (last > latest) throw usageFailure(`${last} is in the future`);
  return daysBetween(first, last);
}

/** The latest calendar day that has begun in any of the zones. */
export function latestToday(now: Temporal.Instant, zones: readonly string[]): Day {
  return zones
    .map((zone) => today(now, zone))
    .sort()
    .at(-1)!;
}

/** The requested accounts; null where none is named. Throws a usage Failure for an unknown one. */
export function requestedAccounts(
  names: readonly string[] | undefined,
  known: readonly { name: string }[],
): string[] | null {
  if (names === undefined) return null;
  const unknown = names.find((name) => !known.some((account) => account.name === name));
  if (unknown === undefined) return [...new Set(names)];
  throw usageFailure(
    `no account is called ${unknown}; there are ${known.map((account) => account.name).join(', ')}`,
  );
}
