import { addDays, type Day } from '../../model/day.ts';
import type { AccountDay, AccountTotals, DigestFigures } from '../../model/digest.ts';
import type { Counts, Sums } from '../../model/records.ts';

const sumsOf = (value: (name: keyof Sums) => number): Sums => ({
  attempts: value('attempts'),
  busies: value('busies'),
  connects: value('connects'),
  liveAnswers: value('liveAnswers'),
});

/** Sums of counts; what wasn't reported adds nothing. */
function addUp(all: readonly Counts[]): Sums {
  return sumsOf((name) => all.reduce((total, counts) => total + (counts[name] ?? 0), 0));
}

/** Sums over the accounts of a digest. */
export function sumUp(accounts: readonly AccountTotals[]): Sums & { readonly campaigns: number } {
  const campaigns = accounts.reduce((total, account) => total + account.campaigns, 0);
  return { ...addUp(accounts), campaigns };
}

/** Accounts whose day isn't complete: the digest says so instead of showing less. */
export function lackingAccounts({ accounts }: DigestFigures): readonly AccountTotals[] {
  return accounts.filter((account) => account.state !== 'loaded');
}

/** Whether a response for the account's day was ever loaded; without one its zeros mean nothing. */
export function hasFigures({ state }: AccountTotals): boolean {
  return state === 'loaded' || state === 'provisional';
}

/** The day beside another, over the accounts that have both: a new or a missing account is no change. */
export type Comparison = {
  readonly now: Sums;
  readonly reference: Sums;
  /** How many accounts that are. */
  readonly accounts: number;
};

/** With the day before; null where no account has both days. */
export function withDayBefore(figures: DigestFigures): Comparison | null {
  return compare(figures, [addDays(figures.day, -1)], 1);
}

/** With the mean of that weekday in the four weeks before, of accounts that have at least two of them. */
export function withTypicalWeekday(figures: DigestFigures): Comparison | null {
  const weeks = [7, 14, 21, 28].map((count) => addDays(figures.day, -count));
  return compare(figures, weeks, 2);
}

function compare(
  { accounts, history }: DigestFigures,
  days: readonly Day[],
  minDays: number,
): Comparison | null {
  const pairs = accounts
    .filter(({ state }) => state === 'loaded')
    .map((now) => ({
      now,
      reference: history.filter((one) => one.account === now.account && days.includes(one.day)),
    }))
    .filter(({ reference }) => reference.length >= minDays);
  if (pairs.length === 0) return null;
  return {
    now: addUp(pairs.map(({ now }) => now)),
    reference: addUp(pairs.map(({ reference }) => mean(reference))),
    accounts: pairs.length,
  };
}

function mean(days: readonly AccountDay[]): Sums {
  const sums = addUp(days);
  return sumsOf((name) => sums[name] / days.length);
}

export type ChartDay = {
  readonly day: Day;
  /** Over the accounts that are loaded; null where none is. */
  readonly sums: Sums | null;
  /** Whether an account that ought to be loaded isn't. */
  readonly incomplete: boolean;
};

/** The last 14 days, the digest's own at the end; from the first that is loaded. */
export function lastDays({ day, history, coverage }: DigestFigures): ChartDay[] {
  const missing = new Set(coverage.flatMap((account) => account.recentlyMissing));
  const days = Array.from({ length: 14 }, (_, index) => addDays(day, index - 13)).map((each) => {
    const loaded = history.filter((one) => one.day === each);
    return { day: each, sums: loaded.length > 0 ? addUp(loaded) : null, incomplete: missing.has(each) };
  });
  const first = days.findIndex(({ sums }) => sums !== null);
  return first === -1 ? [] : days.slice(first);
}
