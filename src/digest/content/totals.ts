import { addDays, type Day } from '../../model/day.ts';
import type { AccountTotals, DigestFigures } from '../../model/digest.ts';
import { daysOf, type Period, periodBefore } from '../../model/period.ts';
import { type CountName, countNames, type RateName, type RateSums, type Sums } from '../../model/records.ts';
import { rate } from '../format.ts';

/** Adds what was reported; null if nothing was. */
function add(values: readonly (number | null)[]): number | null {
  const reported = values.filter((value) => value !== null);
  return reported.length === 0 ? null : reported.reduce((total, value) => total + value, 0);
}

export function addUp(all: readonly Sums[]): Sums {
  return byCount((name) => add(all.map((sums) => sums[name])));
}

export function byCount<T>(value: (name: CountName) => T): { readonly [name in CountName]: T } {
  return Object.fromEntries(countNames.map((name) => [name, value(name)])) as { [name in CountName]: T };
}

export type Totals = Sums & {
  readonly campaigns: number;
  readonly idle: number;
  readonly unreportedAttempts: number;
  /** Connects of attempts, over the campaigns that report both. */
  readonly connects: number | null;
  readonly connectRate: RateSums;
  readonly rates: Rates;
};

/** Shares of the attempts, from 0 to 1, over the campaigns that report both; null if none does. */
export type Rates = { readonly [name in RateName]: number | null };

export function sumUp(accounts: readonly AccountTotals[]): Totals {
  const loaded = accounts.filter(hasFigures);
  const count = (value: (account: AccountTotals) => number) =>
    loaded.reduce((total, account) => total + value(account), 0);
  return {
    ...addUp(loaded),
    campaigns: count(({ campaigns }) => campaigns),
    idle: count(({ idle }) => idle),
    unreportedAttempts: count(({ unreported }) => unreported.attempts),
    connectRate: addRates(loaded.map(({ rates }) => rates.connects)),
    rates: ratesOf(loaded),
  };
}

export function ratesOf(accounts: readonly Pick<AccountTotals, 'rates'>[]): Rates {
  const of = (name: RateName) => rateOf(accounts.map(({ rates }) => rates[name]));
  return { connects: of('connects'), liveAnswers: of('liveAnswers'), busies: of('busies') };
}

export function rateOf(all: readonly RateSums[]): number | null {
  const { part, attempts } = addRates(all);
  return rate(part, attempts);
}

/** The two sums of the rate over all of these; null if none has them. */
export function addRates(all: readonly RateSums[]): RateSums {
  return { part: add(all.map(({ part }) => part)), attempts: add(all.map(({ attempts }) => attempts)) };
}

/** Accounts whose period isn't complete: the digest says so instead of showing less. */
export function lackingAccounts({ accounts }: Pick<DigestFigures, 'accounts'>): readonly AccountTotals[] {
  return accounts.filter((account) => account.state !== 'loaded');
}

/** Accounts whose figures of the period aren't confirmed yet. */
export function provisionalAccounts({ accounts }: Pick<DigestFigures, 'accounts'>): readonly AccountTotals[] {
  return accounts.filter(({ provisionalDays }) => provisionalDays.length > 0);
}

/** A response for the account's period was loaded; without one, its zeros mean nothing. */
export function hasFigures({ state }: Pick<AccountTotals, 'state'>): boolean {
  return state === 'loaded' || state === 'incomplete';
}

export type ChartDay = {
  readonly day: Day;
  /** Over the loaded accounts; null if none is. */
  readonly sums: Sums | null;
  /** Connects per attempt, from 0 to 1; null if no campaign reports both. */
  readonly connectRate: number | null;
  /** An account lacks it. */
  readonly incomplete: boolean;
  /** Figures of an account aren't confirmed yet. */
  readonly provisional: boolean;
  /** The day is the digest's own, among others to compare with. */
  readonly emphasised: boolean;
};

/** The days of the chart: a day and the 13 before, a week and the one before, or a month. */
export function shownDays(period: Period): Day[] {
  const { every, to } = period;
  if (every === 'day') return daysOf({ from: addDays(to, -13), to });
  return daysOf({ from: every === 'week' ? periodBefore(period).from : period.from, to });
}

export function lastDays({ period, history, coverage }: DigestFigures): ChartDay[] {
  const lacking = new Set(coverage.flatMap((account) => account.lacking));
  const provisional = new Set(coverage.flatMap((account) => account.provisional));
  const byDay = Map.groupBy(history, ({ day }) => day);
  const days = shownDays(period).map((each) => {
    const loaded = byDay.get(each) ?? [];
    return {
      day: each,
      sums: loaded.length > 0 ? addUp(loaded) : null,
      connectRate: rateOf(loaded.map(({ connectRate }) => connectRate)),
      incomplete: lacking.has(each),
      provisional: provisional.has(each),
      emphasised: period.every !== 'month' && each >= period.from,
    };
  });
  const first = days.findIndex(({ sums }) => sums !== null);
  return first === -1 ? [] : days.slice(first);
}
