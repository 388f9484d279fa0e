import { addDays, type Day } from '../../model/day.ts';
import type { AccountTotals, DigestFigures } from '../../model/digest.ts';
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

export function addUp(days: readonly LoadedDay[]): ExactSums {
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

/** The rates over the campaigns of these accounts. */
export function ratesOf(accounts: readonly AccountTotals[]): DayTotals['rates'] {
  const of = (name: RateName) => rateOf(accounts.map(({ rates }) => rates[name]));
  return { connects: of('connects'), liveAnswers: of('liveAnswers'), busies: of('busies') };
}

/** The rate over all of these; null where nothing has one. */
export function rateOf(all: readonly RateSums[]): number | null {
  const { part, attempts } = addRates(all);
  return rate(part, attempts);
}

/** What the rate over all of these is made of; null where nothing is. */
export function addRates(all: readonly RateSums[]) {
  const exact = (sum: string | null) => (sum === null ? null : BigInt(sum));
  return {
    part: add(all.map(({ part }) => exact(part))),
    attempts: add(all.map(({ attempts }) => exact(attempts))),
  };
}

/** Accounts whose day isn't complete: the digest says so instead of showing less. */
export function lackingAccounts({ accounts }: DigestFigures): readonly AccountTotals[] {
  return accounts.filter((account) => account.state !== 'loaded');
}

/** Whether a response for the account's day was ever loaded; without one its zeros mean nothing. */
export function hasFigures({ state }: AccountTotals): boolean {
  return state === 'loaded' || state === 'provisional';
}

export type ChartDay = {
  readonly day: Day;
  /** Over the accounts that are loaded; null where none is. */
  readonly sums: ExactSums | null;
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
