import { addDays } from '../../model/day.ts';
import type { AccountDay, AccountTotals, DigestFigures } from '../../model/digest.ts';
import { daysOf, type Period, periodBefore, periodOf } from '../../model/period.ts';
import { type CountName, countNames, type RateSums } from '../../model/records.ts';
import { addRates, addUp, type ExactSums, exactSums } from './totals.ts';

/** A period compared with earlier ones, over the accounts that have both: a new or missing account is no change. */
export type Comparison = {
  readonly changes: { readonly [name in CountName]: CountChange | null };
  readonly connectRate: RateChange | null;
  readonly accounts: number;
};

/** A count now and before, over the accounts that report it both times; a mean before may have a fraction. */
export type CountChange = { readonly now: bigint; readonly reference: number };

/** A rate now and before, from 0 to 1, over the accounts that have one both times, with its attempts. */
export type RateChange = {
  readonly now: number;
  readonly reference: number;
  readonly attempts: { readonly now: number; readonly reference: number };
};

type Compared = Pick<DigestFigures, 'accounts' | 'history' | 'period'>;

/** Compares with the period before; null if no account has both. */
export function withPeriodBefore(figures: Compared): Comparison | null {
  return compare(figures, [periodBefore(figures.period)], 1);
}

/**
 * Compares a day with the mean of its weekday in the four weeks before, over the accounts that have two of those days;
 * null for a week or month, or without such an account.
 */
export function withTypicalWeekday(figures: Compared): Comparison | null {
  const { every, to } = figures.period;
  if (every !== 'day') return null;
  const weeks = [7, 14, 21, 28].map((count) => periodOf('day', addDays(to, -count)));
  return compare(figures, weeks, 2);
}

/** Compares with the mean of the periods whose days are all loaded. */
function compare(
  { accounts, history }: Compared,
  periods: readonly Period[],
  minPeriods: number,
): Comparison | null {
  const pairs = accounts
    .filter(({ state, shortDays }) => state === 'loaded' && shortDays.length === 0)
    .map((now) => ({
      now,
      reference: periods.flatMap((period) => sumsWithin(period, now.account, history)),
    }))
    .filter(({ reference }) => reference.length >= minPeriods);
  if (pairs.length === 0) return null;
  const changes = countNames.map((name) => [name, changeOf(name, pairs, minPeriods)]);
  return {
    changes: Object.fromEntries(changes),
    connectRate: rateChange(pairs, minPeriods),
    accounts: pairs.length,
  };
}

type PeriodSums = { readonly sums: ExactSums; readonly connectRate: ReturnType<typeof addRates> };

/** The sums of an account in a period; empty unless all its days are loaded, and none is short. */
function sumsWithin(period: Period, account: string, history: readonly AccountDay[]): PeriodSums[] {
  const { from, to } = period;
  const days = history.filter((one) => one.account === account && one.day >= from && one.day <= to);
  if (days.length < daysOf(period).length || days.some(({ short }) => short)) return [];
  return [{ sums: addUp(days), connectRate: addRates(days.map(({ connectRate }) => connectRate)) }];
}

type Pair = { readonly now: AccountTotals; readonly reference: readonly PeriodSums[] };

function changeOf(name: CountName, pairs: readonly Pair[], minPeriods: number): CountChange | null {
  const both = pairs.flatMap(({ now, reference }) => {
    const sum = exactSums(now)[name];
    const before = reference.map(({ sums }) => sums[name]).filter((each) => each !== null);
    return sum === null || before.length < minPeriods
      ? []
      : { now: sum, reference: mean(before.map(Number)) };
  });
  if (both.length === 0) return null;
  return {
    now: both.reduce((total, { now }) => total + now, 0n),
    reference: sumOf(both.map(({ reference }) => reference)),
  };
}

/** Divides mean connects by mean attempts: an account weighs as much as it calls. */
function rateChange(pairs: readonly Pair[], minPeriods: number): RateChange | null {
  const both = pairs.flatMap(({ now, reference }) => {
    const today = known(now.rates.connects);
    const before = reference.flatMap(({ connectRate }) => known(connectRate));
    if (before.length < minPeriods) return [];
    const means = {
      part: mean(before.map(({ part }) => part)),
      attempts: mean(before.map(({ attempts }) => attempts)),
    };
    return today.map((now) => ({ now, reference: means }));
  });
  const total = (side: 'now' | 'reference', name: 'part' | 'attempts') =>
    sumOf(both.map((each) => each[side][name]));
  const attempts = { now: total('now', 'attempts'), reference: total('reference', 'attempts') };
  if (attempts.now === 0 || attempts.reference === 0) return null;
  return {
    now: total('now', 'part') / attempts.now,
    reference: total('reference', 'part') / attempts.reference,
    attempts,
  };
}

// A double is exact enough for changes.
const sumOf = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const mean = (numbers: readonly number[]) => sumOf(numbers) / numbers.length;

/** Empty if no campaign reports both. */
const known = ({ part, attempts }: RateSums | PeriodSums['connectRate']) =>
  part === null ? [] : [{ part: Number(part), attempts: Number(attempts) }];
