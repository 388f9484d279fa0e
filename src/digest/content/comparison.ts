import type { AccountDay, AccountTotals, DigestFigures } from '../../model/digest.ts';
import { comparedPeriods, daysOf, type Period } from '../../model/period.ts';
import type { CountName, RateSums, Sums } from '../../model/records.ts';
import type { Format } from '../format.ts';
import { addRates, addUp, byCount } from './totals.ts';

/**
 * A period compared with a typical weekday, the four weeks before or the month before, over the accounts that have all
 * days of both: a new or missing account is no change. A month counts per day with calls.
 */
export type Comparison = {
  readonly total: Changes;
  /** The same for each of these accounts, by its name. */
  readonly accounts: ReadonlyMap<string, Changes>;
};

export type Changes = {
  readonly counts: { readonly [name in CountName]: CountChange | null };
  readonly connectRate: RateChange | null;
};

/** A number now and before, over so many accounts. */
export type CountChange = {
  readonly now: number;
  readonly reference: number;
  readonly accounts: number;
};

/** A rate now and before, from 0 to 1, and its attempts. */
export type RateChange = CountChange & {
  readonly attempts: { readonly now: number; readonly reference: number };
};

/** The sums of an account in a period. */
type Side = { readonly sums: Sums; readonly connectRate: RateSums | null };

/** An account, and the periods that it is compared with. */
type Pair = { readonly account: string; readonly now: Side; readonly before: readonly Side[] };

/** The numbers of days that counts are divided by. */
type Divisors = { readonly now: number; readonly reference: number };

/** Null if no account has all days of both. */
export function compare({
  accounts,
  history,
  period,
}: Pick<DigestFigures, 'accounts' | 'history' | 'period'>): Comparison | null {
  const { periods, needed } = comparedPeriods(period);
  const daysByAccount = Map.groupBy(history, ({ account }) => account);
  const pairs = accounts
    .filter(({ state, provisionalDays }) => state === 'loaded' && provisionalDays.length === 0)
    .map((each) => ({
      account: each.account,
      now: sideOf(each),
      before: periods.flatMap((before) => sideWithin(before, daysByAccount.get(each.account) ?? [])),
    }))
    .filter(({ before }) => before.length >= needed);
  if (pairs.length === 0) return null;
  const compared = new Set(pairs.map(({ account }) => account));
  const days = history.filter(({ account }) => compared.has(account));
  const divisors = {
    now: period.every === 'month' ? daysWithCalls(period, days) : 1,
    reference: period.every === 'month' ? daysWithCalls(periods[0]!, days) : 1,
  };
  return {
    total: changesOf(pairs, needed, divisors),
    accounts: new Map(pairs.map((pair) => [pair.account, changesOf([pair], needed, divisors)])),
  };
}

/** The share of usual attempts below which provisional accounts leave the total comparable (design, *Provisional*). */
const minorShare = 0.05;

/** Returns whether these accounts usually make less than 5% of the attempts, by the confirmed periods before. */
export function areMinor(
  some: readonly AccountTotals[],
  { accounts, history, period }: Pick<DigestFigures, 'accounts' | 'history' | 'period'>,
): boolean {
  if (some.length === 0) return false;
  const { periods } = comparedPeriods(period);
  const daysByAccount = Map.groupBy(history, ({ account }) => account);
  const usualOf = ({ account }: AccountTotals) => {
    const before = periods.flatMap((each) => sideWithin(each, daysByAccount.get(account) ?? []));
    return before.length === 0 ? 0 : mean(before.map(({ sums }) => sums.attempts ?? 0));
  };
  const isKnown = some.every((account) => usualOf(account) > 0);
  return isKnown && sumOf(some.map(usualOf)) < minorShare * sumOf(accounts.map(usualOf));
}

function sideOf(account: AccountTotals): Side {
  return { sums: account, connectRate: knownRate(account.rates.connects, account.campaigns) };
}

/** Empty unless all days of the period are confirmed. */
function sideWithin(period: Period, history: readonly AccountDay[]): Side[] {
  const days = history.filter(({ day }) => day >= period.from && day <= period.to);
  if (days.length < daysOf(period).length || days.some(({ provisional }) => provisional)) return [];
  const campaigns = days.reduce((total, day) => total + day.campaigns, 0);
  return [
    {
      sums: addUp(days),
      connectRate: knownRate(addRates(days.map(({ connectRate }) => connectRate)), campaigns),
    },
  ];
}

/** Without campaigns there were no calls, which is known; null if the campaigns don't report both counts. */
function knownRate(sums: RateSums, campaigns: number): RateSums | null {
  if (sums.part !== null) return sums;
  return campaigns === 0 ? { part: 0, attempts: 0 } : null;
}

function daysWithCalls({ from, to }: Period, days: readonly AccountDay[]): number {
  const calling = days.filter(({ day, attempts }) => day >= from && day <= to && (attempts ?? 0) > 0);
  return Math.max(1, new Set(calling.map(({ day }) => day)).size);
}

function changesOf(pairs: readonly Pair[], needed: number, divisors: Divisors): Changes {
  return {
    counts: byCount((name) => countChange(name, pairs, needed, divisors)),
    connectRate: rateChange(pairs, needed),
  };
}

function countChange(
  name: CountName,
  pairs: readonly Pair[],
  needed: number,
  divisors: Divisors,
): CountChange | null {
  const both = pairs.flatMap(({ now, before }) => {
    const own = now.sums[name];
    const known = before.map(({ sums }) => sums[name]).filter((sum) => sum !== null);
    return own === null || known.length < needed ? [] : { now: own, reference: mean(known) };
  });
  if (both.length === 0) return null;
  return {
    now: sumOf(both.map(({ now }) => now)) / divisors.now,
    reference: sumOf(both.map(({ reference }) => reference)) / divisors.reference,
    accounts: both.length,
  };
}

/** Divides mean connects by mean attempts, over the same accounts on both sides: each weighs as much as it calls. */
function rateChange(pairs: readonly Pair[], needed: number): RateChange | null {
  const both = pairs.flatMap(({ now, before }) => {
    const known = before.map(({ connectRate }) => connectRate).filter((sums) => sums !== null);
    return now.connectRate === null || known.length < needed ? [] : { now: [now.connectRate], before: known };
  });
  const total = (side: 'now' | 'before', name: keyof RateSums) =>
    sumOf(both.map((each) => mean(each[side].map((sums) => sums[name] ?? 0))));
  const attempts = { now: total('now', 'attempts'), reference: total('before', 'attempts') };
  if (attempts.now === 0 || attempts.reference === 0) return null;
  return {
    now: total('now', 'part') / attempts.now,
    reference: total('before', 'part') / attempts.reference,
    accounts: both.length,
    attempts,
  };
}

/** Rates of fewer attempts differ by chance. */
const minAttemptsOfPoints = 20;

/** The change in points; null if either side has too few attempts. */
export function rateChangeText(change: RateChange | null, format: Format): string | null {
  if (change === null || Math.min(change.attempts.now, change.attempts.reference) < minAttemptsOfPoints)
    return null;
  return format.points(change);
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const mean = (numbers: readonly number[]) => sumOf(numbers) / numbers.length;
