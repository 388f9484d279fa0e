import type { Day } from '../../model/day.ts';
import type { AccountDay, DigestFigures } from '../../model/digest.ts';
import { addUp, type Sums } from './totals.ts';

/** The day beside another, over the accounts that have both: a new or a missing account is no change. */
export type Comparison = {
  readonly now: Sums;
  readonly reference: Sums;
  /** How many accounts that are. */
  readonly accounts: number;
};

type Compared = Pick<DigestFigures, 'day' | 'accounts' | 'history'>;

/** With the day before; null where no account has both days. */
export function withDayBefore(figures: Compared): Comparison | null {
  return compared(figures, [daysBefore(figures.day, 1)], 1);
}

/** With the mean of that weekday in the four weeks before, of accounts that have at least two of them. */
export function withTypicalWeekday(figures: Compared): Comparison | null {
  const weeks = [7, 14, 21, 28].map((count) => daysBefore(figures.day, count));
  return compared(figures, weeks, 2);
}

function compared({ accounts, history }: Compared, days: readonly Day[], least: number): Comparison | null {
  const pairs = accounts
    .filter(({ state }) => state === 'loaded')
    .map((now) => ({
      now,
      reference: history.filter((one) => one.account === now.account && days.includes(one.day)),
    }))
    .filter(({ reference }) => reference.length >= least);
  if (pairs.length === 0) return null;
  return {
    now: addUp(pairs.map(({ now }) => now)),
    reference: addUp(pairs.map(({ reference }) => mean(reference))),
    accounts: pairs.length,
  };
}

function mean(days: readonly AccountDay[]): Sums {
  const { attempts, busies, connects, liveAnswers } = addUp(days);
  const count = days.length;
  return {
    attempts: attempts / count,
    busies: busies / count,
    connects: connects / count,
    liveAnswers: liveAnswers / count,
  };
}

export type ChartDay = {
  readonly day: Day;
  /** Over the accounts that are loaded; null where none is. */
  readonly sums: Sums | null;
  /** Whether an account that ought to be loaded isn't. */
  readonly incomplete: boolean;
};

/** The last 14 days, the digest's own at the end; from the first that is loaded. */
export function lastDays({
  day,
  history,
  coverage,
}: Pick<DigestFigures, 'day' | 'history' | 'coverage'>): ChartDay[] {
  const missing = new Set(coverage.flatMap((account) => account.recentlyMissing));
  const days = Array.from({ length: 14 }, (_, index) => daysBefore(day, 13 - index)).map((each) => {
    const loaded = history.filter((one) => one.day === each);
    return { day: each, sums: loaded.length > 0 ? addUp(loaded) : null, incomplete: missing.has(each) };
  });
  const first = days.findIndex(({ sums }) => sums !== null);
  return first === -1 ? [] : days.slice(first);
}

/** The day `count` days earlier. */
export function daysBefore(day: Day, count: number): Day {
  return Temporal.PlainDate.from(day).subtract({ days: count }).toString();
}
