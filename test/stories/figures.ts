/*
 * What an analyst computes of the rows that are current: sums, rates, what is typical, what moved. It shares no code with
 * the product. Days are numbers, as in oracle.ts.
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

export const daysOf = ({ first, last }: Pick<Period, 'first' | 'last'>) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

export const total = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);
const mean = (numbers: readonly number[]) => total(numbers) / numbers.length;

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

/** Connects of attempts; of a period without campaigns 0 of 0, which is known. */
const connectsOf = (rows: readonly Counts[]): Rate | null =>
  rows.length === 0 ? { part: 0, attempts: 0 } : rateOf(rows, 'connects');

/** The four same weekdays or weeks before, or the month before. */
function periodsBefore({ every, first, last }: Period, dateOf: Days['dateOf']): Period[] {
  if (every !== 'month')
    return [7, 14, 21, 28].map((days) => ({ every, first: first - days, last: last - days }));
  const { daysInMonth } = Temporal.PlainDate.from(dateOf(first)).subtract({ months: 1 });
  return [{ every, first: first - daysInMonth, last: first - 1 }];
}

/** Fewer weekdays or weeks than these are too few to be typical. */
const neededOf = ({ every }: Period) => (every === 'month' ? 1 : 2);

/** An account beside the periods that are typical of it. */
export type Pair = {
  readonly account: string;
  readonly now: readonly Row[];
  readonly before: readonly { readonly first: number; readonly rows: readonly Row[] }[];
  /** All that the account did since the first of these. */
  readonly since: readonly Row[];
};

const confirmedBefore = (days: Days, account: string, period: Period) =>
  periodsBefore(period, days.dateOf)
    .filter((each) => daysOf(each).every((day) => days.isConfirmed(account, day)))
    .map((each) => ({ first: each.first, rows: days.rowsOf(account, each) }))
    .filter(({ rows }) => (reportedOf(rows, 'attempts') ?? 0) > 0);

/** What is typical are confirmed periods with attempts; null if they are too few. */
export function typicalOf(days: Days, account: string, period: Period): Pair | null {
  const before = confirmedBefore(days, account, period);
  if (before.length < neededOf(period)) return null;
  const first = Math.min(...before.map((each) => each.first));
  return {
    account,
    now: days.rowsOf(account, period),
    before,
    since: days.rowsOf(account, { first, last: period.last }),
  };
}

/** The attempts that are typical of an account; null if that isn't known. */
export function usualAttempts(days: Days, account: string, period: Period): number | null {
  const pair = typicalOf(days, account, period);
  return pair === null ? null : mean(pair.before.map(({ rows }) => reportedOf(rows, 'attempts')!));
}

export type Change = { readonly now: number; readonly reference: number; readonly accounts: number };
export type RateChange = Change & { readonly attempts: Omit<Change, 'accounts'> };
export type Changes = {
  readonly attempts: Change | null;
  readonly liveAnswers: Change | null;
  readonly connectRate: RateChange | null;
};
export type Comparison = {
  /** Null if it leaves out accounts that matter. */
  readonly total: Changes | null;
  readonly ofAccount: (account: string) => Changes | null;
  readonly movers: readonly Mover[];
};

/** Compares the accounts whose period is confirmed with what is typical of them; null if there is none. */
export function compare(days: Days, accounts: readonly string[], period: Period): Comparison | null {
  const isConfirmed = (account: string) => daysOf(period).every((day) => days.isConfirmed(account, day));
  const typical = accounts.map((account) => typicalOf(days, account, period));
  const pairs = typical.filter((pair) => pair !== null).filter(({ account }) => isConfirmed(account));
  if (pairs.length === 0) return null;
  const daysWithCalls = (rows: readonly Row[]) =>
    period.every === 'month'
      ? Math.max(1, new Set(rows.filter(({ attempts }) => (attempts ?? 0) > 0).map(({ day }) => day)).size)
      : 1;
  const divisors = {
    now: daysWithCalls(pairs.flatMap(({ now }) => now)),
    reference: daysWithCalls(pairs.flatMap(({ before }) => before.flatMap(({ rows }) => rows))),
  };
  const changesOf = (some: readonly Pair[]): Changes => ({
    attempts: changeOf(some, 'attempts', period, divisors),
    liveAnswers: changeOf(some, 'liveAnswers', period, divisors),
    connectRate: rateChangeOf(some, period),
  });
  const leftOut = accounts.filter((account) => !pairs.some((pair) => pair.account === account));
  const usual = (some: readonly string[]) =>
    total(some.map((account) => usualAttempts(days, account, period) ?? Infinity));
  const known = accounts.filter((_, index) => typical[index] !== null);
  // A change stands beside the figure that it is of: what is left out usually makes less than a twentieth of it.
  const isOfAll = leftOut.length === 0 || usual(leftOut) * 20 < usual(known);
  return {
    total: isOfAll ? changesOf(pairs) : null,
    ofAccount: (account) => {
      const own = pairs.filter((pair) => pair.account === account);
      return own.length === 0 ? null : changesOf(own);
    },
    movers: moversOf(pairs, period, divisors),
  };
}

type Divisors = { readonly now: number; readonly reference: number };

function changeOf(
  pairs: readonly Pair[],
  name: CountName,
  period: Period,
  divisors: Divisors,
): Change | null {
  if (pairs.some(({ now }) => sumOf(now, name) === null)) return null;
  const both = pairs.flatMap(({ now, before }) => {
    const own = sumOf(now, name);
    const known = before.map(({ rows }) => reportedOf(rows, name)).filter((sum) => sum !== null);
    return own === null || known.length < neededOf(period) ? [] : [{ own, typical: mean(known) }];
  });
  if (both.length === 0) return null;
  return {
    now: total(both.map(({ own }) => own)) / divisors.now,
    reference: total(both.map(({ typical }) => typical)) / divisors.reference,
    accounts: both.length,
  };
}

/** Mean connects by mean attempts, over the same accounts on both sides: each weighs as much as it calls. */
function rateChangeOf(pairs: readonly Pair[], period: Period): RateChange | null {
  const both = pairs.flatMap((pair) => {
    const now = connectsOf(pair.now);
    const before = pair.before.map(({ rows }) => connectsOf(rows)).filter((rate) => rate !== null);
    return now === null || before.length < neededOf(period) ? [] : [{ now, before }];
  });
  const now = (of: keyof Rate) => total(both.map((each) => each.now[of]));
  const typical = (of: keyof Rate) => total(both.map(({ before }) => mean(before.map((rate) => rate[of]))));
  const attempts = { now: now('attempts'), reference: typical('attempts') };
  if (attempts.now === 0 || attempts.reference === 0) return null;
  return {
    now: now('part') / attempts.now,
    reference: typical('part') / attempts.reference,
    accounts: both.length,
    attempts,
  };
}

export type Mover = {
  readonly account: string;
  readonly callset: number;
  readonly campaign: string;
  readonly now: number;
  /** Null of a campaign that began in the period. */
  readonly typical: number | null;
  readonly began: number | null;
  readonly ended: number | null;
};

/** The five campaigns that moved most, by ten attempts and a tenth of the typical ones at least. */
function moversOf(pairs: readonly Pair[], period: Period, divisors: Divisors): Mover[] {
  return pairs
    .flatMap(({ account, now, before, since }) => {
      const campaigns = Map.groupBy(since, ({ callset }) => callset);
      return [...campaigns]
        .sort(([one], [other]) => one - other)
        .flatMap(([callset, rows]) => {
          const own = (some: readonly Row[]) => some.filter((row) => row.callset === callset);
          const called = rows.filter(({ attempts }) => attempts !== 0).map(({ day }) => day);
          if (called.length === 0) return [];
          const [first, last] = [Math.min(...called), Math.max(...called)];
          // Where an own count wasn't reported, nobody knows the campaign's sum.
          const known = (some: readonly Row[]) => own(some).every(({ attempts }) => attempts !== null);
          if (!known(now)) return [];
          const attempts = sumOf(own(now), 'attempts')!;
          const isNew = first >= period.first;
          // What it did before it began says nothing of it.
          const typical = before
            .filter((each) => each.first >= first && known(each.rows))
            .map((each) => sumOf(own(each.rows), 'attempts')!);
          if (!isNew && typical.length < neededOf(period)) return [];
          if (attempts === 0 && wasTold(rows, last, period)) return [];
          return {
            account,
            callset,
            campaign: newestName(rows),
            now: attempts / divisors.now,
            typical: isNew ? null : mean(typical) / divisors.reference,
            began: isNew ? first : null,
            ended: attempts === 0 ? last : null,
          };
        });
    })
    .filter((each) => moved(each) >= Math.max(10, (each.typical ?? 0) / 10))
    .sort((one, other) => moved(other) - moved(one))
    .slice(0, 5);
}

/** Whether an earlier period lacked the campaign already: the same weekday would have had it, or the week before. */
function wasTold(rows: readonly Row[], last: number, { every, first }: Period): boolean {
  if (every === 'month') return false;
  if (every === 'week') return last < first - 7;
  const expected = rows
    .filter(({ attempts }) => (attempts ?? 0) > 0)
    .flatMap(({ day }) => [7, 14, 21, 28].map((days) => day + days));
  return expected.some((day) => day > last && day < first);
}

const moved = ({ now, typical }: Mover) => Math.abs(now - (typical ?? 0));

export const newestName = (rows: readonly Row[]) =>
  rows.reduce((newest, row) => (row.day >= newest.day ? row : newest)).campaign;

export type CampaignRows = { readonly account: string; readonly rows: readonly Row[] };

export const campaignsOf = (rows: readonly Row[]): CampaignRows[] =>
  [...Map.groupBy(rows, ({ account, callset }) => `${account} ${callset}`).values()].map((own) => ({
    account: own[0]!.account,
    rows: own,
  }));

/** The ten campaigns with the most attempts. */
export const topCampaigns = (rows: readonly Row[]): CampaignRows[] =>
  campaignsOf(rows)
    .filter((each) => (sumOf(each.rows, 'attempts') ?? 0) > 0)
    .sort((one, other) => sumOf(other.rows, 'attempts')! - sumOf(one.rows, 'attempts')!)
    .slice(0, 10);

/** The three highest and the three lowest connect rates, of campaigns with 20 attempts and a hundredth of all. */
export function extremeRates(rows: readonly Row[]): CampaignRows[] {
  const rated = campaignsOf(rows)
    .map((each) => ({ ...each, rate: rateOf(each.rows, 'connects') ?? { part: 0, attempts: 0 } }))
    .filter(({ rate }) => rate.attempts >= Math.max(20, (sumOf(rows, 'attempts') ?? 0) / 100));
  type Rated = (typeof rated)[number];
  const higher = (one: Rated, other: Rated) =>
    one.rate.part / one.rate.attempts - other.rate.part / other.rate.attempts;
  const larger = (one: Rated, other: Rated) => other.rate.attempts - one.rate.attempts;
  const highest = rated.toSorted((one, other) => higher(other, one) || larger(one, other));
  const lowest = rated.toSorted((one, other) => higher(one, other) || larger(one, other));
  const shown = [...highest.slice(0, 3), ...lowest.slice(0, 3)];
  return highest.filter((each) => shown.includes(each));
}
