/*
 * What an analyst computes of the rows that are current: sums, rates, what is typical. It shares no code with the product.
 * Days are numbers, as in oracle.ts.
 */

export const countNames = ['attempts', 'busies', 'connects', 'liveAnswers'] as const;
export type CountName = (typeof countNames)[number];
/** Null: not reported, which isn't 0. */
export type Counts = { readonly [name in CountName]: number | null };

export type Row = Counts & {
  readonly account: string;
  readonly day: number;
  readonly callset: number;
  readonly campaign: string;
};

export type Every = 'day' | 'week' | 'month';
export type Period = { readonly every: Every; readonly first: number; readonly last: number };

/** The rows that are current, and the days that stand. */
export type Days = {
  dateOf(day: number): string;
  rowsOf(account: string, period: Pick<Period, 'first' | 'last'>): readonly Row[];
  isLoaded(account: string, day: number): boolean;
  /** Loaded, and nothing speaks against its figures. */
  isConfirmed(account: string, day: number): boolean;
};

/** With both; none if the last is before the first. */
export const daysBetween = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

export const daysOf = ({ first, last }: Pick<Period, 'first' | 'last'>) => daysBetween(first, last);

export const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

/** What was reported; 0 of no campaigns, null if none of them reported it. */
export function reportedOf(rows: readonly Counts[], name: CountName): number | null {
  const reported = rows.map((row) => row[name]).filter((count) => count !== null);
  return rows.length > 0 && reported.length === 0 ? null : total(reported);
}

/** The sum over days of accounts; null if some of them reported none. */
export function sumOf(rows: readonly Row[], name: CountName): number | null {
  const days = [...Map.groupBy(rows, ({ account, day }) => `${account} ${day}`).values()];
  const sums = days.map((day) => reportedOf(day, name));
  return sums.includes(null) ? null : total(sums.map((sum) => sum!));
}

export type Rate = { readonly part: number; readonly attempts: number };

/** A rate is its parts summed, then divided, over the campaigns that report both. Null if none does. */
export function rateOf(rows: readonly Counts[], name: CountName): Rate | null {
  const both = rows.filter((row) => row[name] !== null && row.attempts !== null);
  if (both.length === 0) return null;
  return { part: reportedOf(both, name)!, attempts: reportedOf(both, 'attempts')! };
}

/**
 * The rows of each of the days that are typical of a day: of the last four of its weekday that are confirmed and have attempts
 * the two middle ones, of three the middle one, of two both. Four without attempts are, if fewer than two have some. None if
 * nothing is typical yet.
 */
export function typicalOf(days: Days, account: string, day: number): readonly (readonly Row[])[] {
  const confirmed = [7, 14, 21, 28, 35, 42, 49, 56]
    .map((ago) => day - ago)
    .filter((each) => days.isConfirmed(account, each))
    .map((each) => days.rowsOf(account, { first: each, last: each }))
    .map((rows) => ({ rows, attempts: sumOf(rows, 'attempts') }));
  const calling = confirmed.filter(({ attempts }) => attempts !== null && attempts > 0).slice(0, 4);
  const silent = confirmed.filter(({ attempts }) => attempts === 0).slice(0, 4);
  const known = calling.length >= 2 ? calling : silent.length === 4 ? silent : [];
  // The oldest stands last, so that of equal ones the newer stays.
  const lowest = known.findLast((each) => known.every(({ attempts }) => attempts! >= each.attempts!));
  const others = known.filter((each) => each !== lowest);
  const highest = others.findLast((each) => others.every(({ attempts }) => attempts! <= each.attempts!));
  const middle = known.length < 3 ? known : others.filter((each) => each !== highest);
  return middle.map(({ rows }) => rows);
}
