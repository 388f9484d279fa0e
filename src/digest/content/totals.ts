import { addDays, type Day, weekdayOf } from '../../model/day.ts';
import type { AccountTotals, PeriodFigures } from '../../model/digest.ts';
import { daysOf, type Period, periodBefore } from '../../model/period.ts';
import {
  type CountName,
  countNames,
  type RateName,
  type RateSums,
  rateNames,
  type Sums,
} from '../../model/records.ts';

/** Adds what is known; null if nothing is. */
function addKnown(values: readonly (bigint | null)[]): bigint | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0n);
}

/** Adds what all accounts report; null if one doesn't. */
const add = (values: readonly (bigint | null)[]) => (values.includes(null) ? null : addKnown(values));

const byName = <Name extends string, T>(names: readonly Name[], value: (name: Name) => T) =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as { readonly [name in Name]: T };

export const byCount = <T>(value: (name: CountName) => T) => byName(countNames, value);

export type Rates = { readonly [name in RateName]: RateSums };

export type Totals = Sums & {
  readonly campaigns: number;
  readonly idle: number;
  readonly unreportedAttempts: number;
  /** Shares of the attempts, over the campaigns that report both. */
  readonly rates: Rates;
};

/** The sums of accounts, and the parts of their rates. */
export function sumUp(accounts: readonly AccountTotals[]): Totals {
  const loaded = accounts.filter(hasFigures);
  const count = (value: (account: AccountTotals) => number) =>
    loaded.reduce((total, account) => total + value(account), 0);
  return {
    ...byCount((name) => add(loaded.map((account) => account[name]))),
    campaigns: count(({ campaigns }) => campaigns),
    idle: count(({ idle }) => idle),
    unreportedAttempts: count(({ unreported }) => unreported.attempts),
    rates: byName(rateNames, (name) => ({
      part: addKnown(loaded.map(({ rates }) => rates[name].part)),
      attempts: addKnown(loaded.map(({ rates }) => rates[name].attempts)),
    })),
  };
}

type Figures = Pick<Totals, 'attempts' | 'rates'>;

/** What is left of totals without these rows, as far as they report anything. */
export function minus(totals: Figures, rows: readonly Figures[]): Figures {
  const less = (of: (figures: Figures) => bigint | null) => {
    const total = of(totals);
    return total === null ? null : total - (addKnown(rows.map(of)) ?? 0n);
  };
  return {
    attempts: less(({ attempts }) => attempts),
    rates: byName(rateNames, (name) => ({
      part: less(({ rates }) => rates[name].part),
      attempts: less(({ rates }) => rates[name].attempts),
    })),
  };
}

/** The sums of accounts in a period, and the parts of their connect rate. */
export function sumOfPeriod(accounts: readonly PeriodFigures[]): Sums & { readonly connectRate: RateSums } {
  const loaded = accounts.filter(({ state }) => state !== 'absent');
  return {
    ...byCount((name) => add(loaded.map((account) => account[name]))),
    connectRate: {
      part: addKnown(loaded.map(({ connectRate }) => connectRate.part)),
      attempts: addKnown(loaded.map(({ connectRate }) => connectRate.attempts)),
    },
  };
}

/** A response for the account's period was loaded; without one, its zeros mean nothing. */
export const hasFigures = ({ state }: Pick<AccountTotals, 'state'>): boolean => state !== 'missing';

/** The days of the chart: a day and the 13 before, a week and the one before, or a month. */
export function shownDays(period: Period): Day[] {
  const { every, to } = period;
  if (every === 'day') return daysOf({ from: addDays(to, -13), to });
  return daysOf({ from: every === 'week' ? periodBefore(period).from : period.from, to });
}

/** The week from Monday and the month of a day. On its first day each is left out: it equals the day. */
export function toDateSpans({
  every,
  to,
}: Period): { readonly every: 'week' | 'month'; readonly from: Day }[] {
  if (every !== 'day') return [];
  const starts = [
    { every: 'week', from: addDays(to, 1 - weekdayOf(to)) },
    { every: 'month', from: `${to.slice(0, 8)}01` },
  ] as const;
  return starts.filter(({ from }) => from < to);
}
