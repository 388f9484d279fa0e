import { addDays, type Day } from '../../model/day.ts';
import type { AccountTotals, DigestFigures } from '../../model/digest.ts';
import { daysOf, type Period, periodBefore } from '../../model/period.ts';
import type { CountName, RateName, RateSums, Sums } from '../../model/records.ts';
import { rate } from '../format.ts';

/** Exact sums; null if nothing was reported. */
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

/** The sums of a loaded day. A day without campaigns has 0, not null: nothing went unreported. */
export function exactSums(day: LoadedDay): ExactSums {
  return byCount((name) => {
    const sum = day[name];
    if (sum !== null) return BigInt(sum);
    return day.campaigns === 0 ? 0n : null;
  });
}

/** Adds what was reported; null if nothing was. */
function add(values: readonly (bigint | null)[]): bigint | null {
  const reported = values.filter((value) => value !== null);
  return reported.length === 0 ? null : reported.reduce((total, value) => total + value, 0n);
}

export function addUp(days: readonly LoadedDay[]): ExactSums {
  const all = days.map(exactSums);
  return byCount((name) => add(all.map((sums) => sums[name])));
}

export type DayTotals = ExactSums & {
  readonly campaigns: number;
  readonly unreportedAttempts: number;
  /** Shares of the attempts, from 0 to 1, over the campaigns that report both; null if none does. */
  readonly rates: { readonly [name in RateName]: number | null };
};

export function sumUp(accounts: readonly AccountTotals[]): DayTotals {
  const loaded = accounts.filter(hasFigures);
  const count = (value: (account: AccountTotals) => number) =>
    loaded.reduce((total, account) => total + value(account), 0);
  return {
    ...addUp(loaded),
    campaigns: count(({ campaigns }) => campaigns),
    unreportedAttempts: count(({ unreported }) => unreported.attempts),
    rates: ratesOf(loaded),
  };
}

export function ratesOf(accounts: readonly Pick<AccountTotals, 'rates'>[]): DayTotals['rates'] {
  const of = (name: RateName) => rateOf(accounts.map(({ rates }) => rates[name]));
  return { connects: of('connects'), liveAnswers: of('liveAnswers'), busies: of('busies') };
}

export function rateOf(all: readonly RateSums[]): number | null {
  const { part, attempts } = addRates(all);
  return rate(part, attempts);
}

/** The two sums of the rate over all of these; null if none has them. */
export function addRates(all: readonly RateSums[]) {
  const exact = (sum: string | null) => (sum === null ? null : BigInt(sum));
  return {
    part: add(all.map(({ part }) => exact(part))),
    attempts: add(all.map(({ attempts }) => exact(attempts))),
  };
}

/** Accounts whose period isn't complete: the digest says so instead of showing less. */
export function lackingAccounts({ accounts }: Pick<DigestFigures, 'accounts'>): readonly AccountTotals[] {
  return accounts.filter((account) => account.state !== 'loaded');
}

/** Accounts whose figures of the period may be low. */
export function shortAccounts({ accounts }: Pick<DigestFigures, 'accounts'>): readonly AccountTotals[] {
  return accounts.filter(({ shortDays }) => shortDays.length > 0);
}

/** A response for the account's period was loaded; without one, its zeros mean nothing. */
export function hasFigures({ state }: Pick<AccountTotals, 'state'>): boolean {
  return state === 'loaded' || state === 'provisional';
}

export type ChartDay = {
  readonly day: Day;
  /** Over the loaded accounts; null if none is. */
  readonly sums: ExactSums | null;
  /** Connects per attempt, from 0 to 1; null if no campaign reports both. */
  readonly connectRate: number | null;
  readonly incomplete: boolean;
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
  const missing = new Set(coverage.flatMap((account) => account.recentlyMissing));
  const days = shownDays(period).map((each) => {
    const loaded = history.filter((one) => one.day === each);
    return {
      day: each,
      sums: loaded.length > 0 ? addUp(loaded) : null,
      connectRate: rateOf(loaded.map(({ connectRate }) => connectRate)),
      incomplete: missing.has(each),
      emphasised: period.every !== 'month' && each >= period.from,
    };
  });
  const first = days.findIndex(({ sums }) => sums !== null);
  return first === -1 ? [] : days.slice(first);
}
