import { addDays, type Day } from '../../model/day.ts';
import type { AccountDay, AccountTotals, DigestFigures } from '../../model/digest.ts';
import { daysOf, type Period, periodBefore, periodOf } from '../../model/period.ts';
import type { CountName, RateName, RateSums, Sums } from '../../model/records.ts';
import { rate } from '../format.ts';

/** Sums to reckon with, exact however large; null where nothing was reported. */
export type ExactSums = { readonly [name in CountName]: bigint | null };

type LoadedDay = Sums & { readonly campaigns: number };

function byCount<T>(value: (name: CountName) => T): { readonly [name in CountName]: T } {
  return {
    attempts: value('attempts'),
    busies: value('busies'),
    connects: value('connects'),
    liveAnswers: value('liveAnswers'),
  };
}

/** The sums of a loaded day. Of one without campaigns they are 0: nothing was left unreported. */
export function exactSums(day: LoadedDay): ExactSums {
  return byCount((name) => {
    const sum = day[name];
    if (sum !== null) return BigInt(sum);
    return day.campaigns === 0 ? 0n : null;
  });
}

/** What wasn't reported adds nothing; a sum of nothing is null. */
function add(values: readonly (bigint | null)[]): bigint | null {
  const reported = values.filter((value) => value !== null);
  return reported.length === 0 ? null : reported.reduce((total, value) => total + value, 0n);
}

function addUp(days: readonly LoadedDay[]): ExactSums {
  const all = days.map(exactSums);
  return byCount((name) => add(all.map((sums) => sums[name])));
}

/** The totals of a digest's day over its accounts, as far as they are loaded. */
export type DayTotals = ExactSums & {
  readonly campaigns: number;
  /** How many campaigns didn't report a count. */
  readonly unreported: { readonly [name in CountName]: number };
  /** Shares of the attempts, from 0 to 1, over the campaigns that report both; null where there is none. */
  readonly rates: { readonly [name in RateName]: number | null };
};

export function sumUp(accounts: readonly AccountTotals[]): DayTotals {
  const loaded = accounts.filter(hasFigures);
  const count = (value: (account: AccountTotals) => number) =>
    loaded.reduce((total, account) => total + value(account), 0);
  return {
    ...addUp(loaded),
    campaigns: count(({ campaigns }) => campaigns),
    unreported: byCount((name) => count(({ unreported }) => unreported[name])),
    rates: ratesOf(loaded),
  };
}

/** The rates over these campaigns, or those of these accounts. */
export function ratesOf(accounts: readonly Pick<AccountTotals, 'rates'>[]): DayTotals['rates'] {
  const of = (name: RateName) => rateOf(accounts.map(({ rates }) => rates[name]));
  return { connects: of('connects'), liveAnswers: of('liveAnswers'), busies: of('busies') };
}

/** A rate over accounts or days: from 0 to 1, null where there is nothing to divide by. */
function rateOf(sums: readonly RateSums[]): number | null {
  const exact = (sum: string | null) => (sum === null ? null : BigInt(sum));
  return rate(add(sums.map(({ part }) => exact(part))), add(sums.map(({ attempts }) => exact(attempts))));
}

/** Accounts whose day isn't complete: the digest says so instead of showing less. */
export function lackingAccounts({ accounts }: DigestFigures): readonly AccountTotals[] {
  return accounts.filter((account) => account.state !== 'loaded');
}

/** Whether a response for the account's day was ever loaded; without one its zeros mean nothing. */
export function hasFigures({ state }: Pick<AccountTotals, 'state'>): boolean {
  return state === 'loaded' || state === 'provisional';
}

/** The period beside another, over the accounts that have both: a new or a missing account is no change. */
export type Comparison = {
  /** Of each count: by how much it changed. */
  readonly changes: { readonly [name in CountName]: CountChange | null };
  /** How many accounts that are. */
  readonly accounts: number;
};

/** A count now and before, over the accounts that report it both times; a mean may have a fraction. */
export type CountChange = { readonly now: bigint; readonly reference: number };

/** With the period before; null where no account has both. */
export function withPeriodBefore(figures: DigestFigures): Comparison | null {
  return compare(figures, [periodBefore(figures.period)], 1);
}

/** Of a day, with the mean of that weekday in the four weeks before, of accounts that have at least two of them. */
export function withTypicalWeekday(figures: DigestFigures): Comparison | null {
  if (figures.period.every !== 'day') return null;
  const weeks = [7, 14, 21, 28].map((count) => periodOf('day', addDays(figures.day, -count)));
  return compare(figures, weeks, 2);
}

/** With the mean of periods, as far as every day of them is loaded. */
function compare(
  { accounts, history }: DigestFigures,
  periods: readonly Period[],
  minPeriods: number,
): Comparison | null {
  const pairs = accounts
    .filter(({ state }) => state === 'loaded')
    .map((now) => ({
      now,
      reference: periods.flatMap((period) => sumsWithin(period, now.account, history)),
    }))
    .filter(({ reference }) => reference.length >= minPeriods);
  if (pairs.length === 0) return null;
  return {
    changes: byCount((name) => changeOf(name, pairs, minPeriods)),
    accounts: pairs.length,
  };
}

/** The sums of an account in a period; none where a day of it isn't loaded. */
function sumsWithin(period: Period, account: string, history: readonly AccountDay[]): ExactSums[] {
  const { from, to } = period;
  const days = history.filter((one) => one.account === account && one.day >= from && one.day <= to);
  return days.length === daysOf(period).length ? [addUp(days)] : [];
}

type Pair = { readonly now: AccountTotals; readonly reference: readonly ExactSums[] };

function changeOf(name: CountName, pairs: readonly Pair[], minPeriods: number): CountChange | null {
  const both = pairs.flatMap(({ now, reference }) => {
    const sum = exactSums(now)[name];
    const before = reference.map((sums) => sums[name]).filter((each) => each !== null);
    return sum === null || before.length < minPeriods ? [] : { now: sum, reference: mean(before) };
  });
  if (both.length === 0) return null;
  return {
    now: add(both.map(({ now }) => now))!,
    reference: both.reduce((total, { reference }) => total + reference, 0),
  };
}

// A percentage needs no more digits than a double has.
const mean = (sums: readonly bigint[]) => Number(add(sums)) / sums.length;

export type ChartDay = {
  readonly day: Day;
  /** Over the accounts that are loaded; null where none is. */
  readonly sums: ExactSums | null;
  /** Connects per attempt, from 0 to 1; null where there is none. */
  readonly connectRate: number | null;
  /** Whether an account that ought to be loaded isn't. */
  readonly incomplete: boolean;
  /** Whether the digest is about this day alone, and the others are there to compare. */
  readonly emphasised: boolean;
};

/** The days of the chart: a day and the 13 before, a week and the one before, or a month. */
export function shownDays(period: Period): Day[] {
  const { every, to } = period;
  if (every === 'day') return daysOf({ from: addDays(to, -13), to });
  return daysOf({ from: every === 'week' ? periodBefore(period).from : period.from, to });
}

/** The days that the chart shows, from the first that is loaded. */
export function lastDays({ period, history, coverage }: DigestFigures): ChartDay[] {
  const missing = new Set(coverage.flatMap((account) => account.recentlyMissing));
  const days = shownDays(period).map((each) => {
    const loaded = history.filter((one) => one.day === each);
    return {
      day: each,
      sums: loaded.length > 0 ? addUp(loaded) : null,
      connectRate: rateOf(loaded.map(({ connectRate }) => connectRate)),
      incomplete: missing.has(each),
      emphasised: period.every === 'day' && each === period.to,
    };
  });
  const first = days.findIndex(({ sums }) => sums !== null);
  return first === -1 ? [] : days.slice(first);
}
