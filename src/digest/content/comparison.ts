import type { AccountTotals, DigestFigures, Typical } from '../../model/digest.ts';
import type { CountName } from '../../model/records.ts';
import type { Format } from '../format.ts';
import { byCount } from './totals.ts';

/** A period compared with what is typical of it, over the accounts of which both are known. */
export type Comparison = {
  /** Null if it leaves out accounts that matter: a change stands only beside the figure that it is of. */
  readonly total: Changes | null;
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

type Pair = { readonly now: AccountTotals; readonly typical: Typical };

/** The numbers of days that counts are divided by: a month counts per day with calls. */
export type Divisors = { readonly now: number; readonly reference: number };

type Compared = Pick<DigestFigures, 'accounts' | 'typical'>;

/** The accounts whose period is confirmed, beside what is typical of it. */
export function comparedPairs({ accounts, typical }: Compared): Pair[] {
  const known = new Map(typical.map((each) => [each.account, each]));
  return accounts.flatMap((now) => {
    const own = known.get(now.account);
    const isConfirmed = now.state === 'loaded' && now.provisionalDays.length === 0;
    return own === undefined || !isConfirmed ? [] : [{ now, typical: own }];
  });
}

/** A month has as many days as any of its accounts called on. */
export function divisorsOf(pairs: readonly Pair[]): Divisors {
  if (pairs.every(({ typical }) => typical.callingDays === null)) return { now: 1, reference: 1 };
  const days = (of: (pair: Pair) => readonly string[]) => Math.max(1, new Set(pairs.flatMap(of)).size);
  return {
    now: days(({ now }) => now.callingDays),
    reference: days(({ typical }) => typical.callingDays ?? []),
  };
}

/** Null if there is nothing to compare. */
export function compare(figures: Compared): Comparison | null {
  const pairs = comparedPairs(figures);
  if (pairs.length === 0) return null;
  const divisors = divisorsOf(pairs);
  const compared = new Set(pairs.map(({ now }) => now.account));
  const leftOut = figures.accounts.filter(({ account }) => !compared.has(account));
  return {
    total: leftOut.length === 0 || areMinor(leftOut, figures) ? changesOf(pairs, divisors) : null,
    accounts: new Map(pairs.map((pair) => [pair.now.account, changesOf([pair], divisors)])),
  };
}

/** The share of usual attempts below which accounts leave the total comparable (design, *Provisional*). */
const minorShare = 0.05;

/** Returns whether these accounts usually make less than 5% of the attempts. */
export function areMinor(some: readonly AccountTotals[], { typical }: Compared): boolean {
  const usual = new Map(typical.map(({ account, attempts }) => [account, attempts!]));
  const own = some.map(({ account }) => usual.get(account));
  return (
    some.length > 0 &&
    own.every((attempts) => attempts !== undefined) &&
    sumOf(own) < minorShare * sumOf([...usual.values()])
  );
}

function changesOf(pairs: readonly Pair[], divisors: Divisors): Changes {
  return {
    counts: byCount((name) => countChange(name, pairs, divisors)),
    connectRate: rateChange(pairs),
  };
}

function countChange(name: CountName, pairs: readonly Pair[], divisors: Divisors): CountChange | null {
  // Like the sum that the change is of.
  if (pairs.some(({ now }) => now[name] === null)) return null;
  const both = pairs.flatMap(({ now, typical }) => {
    const [own, reference] = [now[name], typical[name]];
    return own === null || reference === null ? [] : { now: Number(own), reference };
  });
  if (both.length === 0) return null;
  return {
    now: sumOf(both.map(({ now }) => now)) / divisors.now,
    reference: sumOf(both.map(({ reference }) => reference)) / divisors.reference,
    accounts: both.length,
  };
}

/** Divides mean connects by mean attempts, over the same accounts on both sides: each weighs as much as it calls. */
function rateChange(pairs: readonly Pair[]): RateChange | null {
  const both = pairs.flatMap(({ now: { rates }, typical }) => {
    const { part, attempts } = rates.connects;
    if (part === null || typical.connectRate === null) return [];
    return {
      now: { part: Number(part), attempts: Number(attempts) },
      typical: typical.connectRate,
    };
  });
  const total = (side: 'now' | 'typical', name: 'part' | 'attempts') =>
    sumOf(both.map((each) => each[side][name]));
  const attempts = { now: total('now', 'attempts'), reference: total('typical', 'attempts') };
  if (attempts.now === 0 || attempts.reference === 0) return null;
  return {
    now: total('now', 'part') / attempts.now,
    reference: total('typical', 'part') / attempts.reference,
    accounts: both.length,
    attempts,
  };
}

/** Rates of fewer attempts differ by chance. */
export const minAttemptsOfRate = 20;

/** The change in points; null if either side has too few attempts. */
export function rateChangeText(change: RateChange | null, format: Format): string | null {
  if (change === null || Math.min(change.attempts.now, change.attempts.reference) < minAttemptsOfRate)
    return null;
  return format.points(change);
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
