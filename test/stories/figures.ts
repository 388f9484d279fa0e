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

/** With both; none if the last is before the first. */
export const daysBetween = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

export const daysOf = ({ first, last }: Pick<Period, 'first' | 'last'>) => daysBetween(first, last);

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

/** The eight same weekdays or weeks before, the newest first, or the month before. */
function periodsBefore({ every, first, last }: Period, dateOf: Days['dateOf']): Period[] {
  if (every !== 'month')
    return [7, 14, 21, 28, 35, 42, 49, 56].map((days) => ({ every, first: first - days, last: last - days }));
  const { daysInMonth } = Temporal.PlainDate.from(dateOf(first)).subtract({ months: 1 });
  return [{ every, first: first - daysInMonth, last: first - 1 }];
}

/** An account beside the periods that are typical of it. */
export type Pair = {
  readonly account: string;
  readonly now: readonly Row[];
  readonly before: readonly { readonly first: number; readonly rows: readonly Row[] }[];
  /** All that the account did since the first of these. */
  readonly since: readonly Row[];
  /** How many days with calls a month has for one of the month before. */
  readonly scale: number;
};

/**
 * Typical are the two middle ones of the last four confirmed periods with attempts, of three the middle one, of two both;
 * four without attempts are, too, if fewer than two have some.
 */
export function typicalOf(days: Days, account: string, period: Period): Pair | null {
  const confirmed = periodsBefore(period, days.dateOf)
    .filter((each) => daysOf(each).every((day) => days.isConfirmed(account, day)))
    .map((each) => ({ first: each.first, rows: days.rowsOf(account, each) }))
    .map((each) => ({ ...each, attempts: sumOf(each.rows, 'attempts') }));
  const calling = confirmed.filter(({ attempts }) => attempts !== null && attempts > 0).slice(0, 4);
  const silent = confirmed.filter(({ attempts }) => attempts === 0).slice(0, 4);
  const isMonth = period.every === 'month';
  const known = calling.length >= (isMonth ? 1 : 2) ? calling : silent.length === 4 ? silent : [];
  if (known.length === 0) return null;
  // The newest are first, so that of equal ones the last is the oldest.
  const lowest = known.findLastIndex(({ attempts }) => known.every((other) => other.attempts! >= attempts!));
  const others = known.filter((_, index) => index !== lowest);
  const highest = others.findLastIndex(({ attempts }) =>
    others.every((other) => other.attempts! <= attempts!),
  );
  const before = known.length < 3 ? known : others.filter((_, index) => index !== highest);
  const now = days.rowsOf(account, period);
  const first = Math.min(...before.map((each) => each.first));
  const callingDays = (rows: readonly Row[]) =>
    new Set(rows.filter(({ attempts }) => (attempts ?? 0) > 0).map(({ day }) => day)).size;
  return {
    account,
    now,
    before,
    since: days.rowsOf(account, { first, last: period.last }),
    scale: isMonth ? callingDays(now) / callingDays(before[0]!.rows) : 1,
  };
}

/** The attempts that are typical of an account; null if that isn't known. */
export function usualAttempts(days: Days, account: string, period: Period): number | null {
  const pair = typicalOf(days, account, period);
  return pair === null ? null : mean(pair.before.map(({ rows }) => sumOf(rows, 'attempts')!));
}

export type Change = { readonly now: number; readonly reference: number };
export type RateChange = Change & { readonly attempts: Change };
export type Changes = {
  readonly attempts: Change | null;
  readonly liveAnswers: Change | null;
  readonly connectRate: RateChange | null;
};
export type Comparison = {
  readonly total: Changes;
  /** Accounts that the total leaves out. */
  readonly leftOut: readonly string[];
  readonly ofAccount: (account: string) => Changes | null;
  readonly campaigns: readonly Mover[];
  readonly accounts: readonly Mover[];
};

/** Compares the accounts whose period is confirmed with what is typical of them; null if there is none. */
export function compare(days: Days, accounts: readonly string[], period: Period): Comparison | null {
  const isConfirmed = (account: string) => daysOf(period).every((day) => days.isConfirmed(account, day));
  const pairs = accounts
    .filter(isConfirmed)
    .map((account) => typicalOf(days, account, period))
    .filter((pair) => pair !== null);
  if (pairs.length === 0) return null;
  const ofAccount = (account: string) => {
    const own = pairs.filter((pair) => pair.account === account);
    return own.length === 0 ? null : changesOf(own);
  };
  return {
    total: changesOf(pairs),
    leftOut: accounts.filter((account) => !pairs.some((pair) => pair.account === account)),
    ofAccount,
    campaigns: moversOf(pairs, ({ account, callset }) => `${account} ${callset}`),
    accounts: moversOf(pairs, ({ account }) => account),
  };
}

const changesOf = (pairs: readonly Pair[]): Changes => ({
  attempts: changeOf(pairs, 'attempts'),
  liveAnswers: changeOf(pairs, 'liveAnswers'),
  connectRate: rateChangeOf(pairs),
});

/** Of a sum that one of the accounts doesn't report, or typically doesn't, nothing is known. */
function changeOf(pairs: readonly Pair[], name: CountName): Change | null {
  const sums = pairs.map(({ now, before, scale }) => {
    const typical = before.map(({ rows }) => sumOf(rows, name));
    return {
      now: sumOf(now, name),
      reference: typical.includes(null) ? null : scale * mean(typical.map((sum) => sum!)),
    };
  });
  if (sums.some(({ now, reference }) => now === null || reference === null)) return null;
  return {
    now: total(sums.map(({ now }) => now!)),
    reference: total(sums.map(({ reference }) => reference!)),
  };
}

const ratedPairs = (pairs: readonly Pair[]) => pairs.filter(({ now }) => connectsOf(now) !== null);

/** Connects by attempts, over the same accounts on both sides: each weighs as much as it calls. */
function rateChangeOf(pairs: readonly Pair[]): RateChange | null {
  const both = ratedPairs(pairs).map(({ now, before }) => ({
    now: connectsOf(now)!,
    before: before.map(({ rows }) => connectsOf(rows)),
  }));
  if (both.some(({ before }) => before.includes(null))) return null;
  const now = (of: keyof Rate) => total(both.map((each) => each.now[of]));
  const typical = (of: keyof Rate) => total(both.map(({ before }) => mean(before.map((rate) => rate![of]))));
  const attempts = { now: now('attempts'), reference: typical('attempts') };
  if (attempts.now === 0 || attempts.reference === 0) return null;
  return { now: now('part') / attempts.now, reference: typical('part') / attempts.reference, attempts };
}

/** What a campaign or an account adds to the change of all: in attempts, and to the connect rate. */
export type Mover = {
  readonly account: string;
  readonly campaign: string;
  readonly now: number;
  readonly typical: number;
  readonly effect: number;
};

/** What isn't there or not reported counts as 0. The largest first. */
function moversOf(pairs: readonly Pair[], keyOf: (row: Row) => string): Mover[] {
  const rate = rateChangeOf(pairs);
  const rated = new Set(ratedPairs(pairs).map(({ account }) => account));
  const sum = (rows: readonly Row[], of: (row: Row) => number) => total(rows.map(of));
  const attempts = (row: Row) => row.attempts ?? 0;
  const isRated = ({ account, attempts, connects }: Row) =>
    rated.has(account) && attempts !== null && connects !== null;
  return pairs
    .flatMap(({ account, now, before, since, scale }) => {
      const typical = before.flatMap(({ rows }) => rows);
      const keys = [
        ...new Set([...now, ...typical].toSorted((one, other) => one.callset - other.callset).map(keyOf)),
      ];
      return keys.map((key): Mover => {
        const own = (rows: readonly Row[]) => rows.filter((row) => keyOf(row) === key);
        const share = (rows: readonly Row[], of: 'attempts' | 'connects', periods: number, all: number) =>
          sum(own(rows).filter(isRated), (row) => row[of]!) / periods / all;
        const effect = () => {
          const { now: today, reference } = rate!.attempts;
          const shares =
            share(now, 'attempts', 1, today) - share(typical, 'attempts', before.length, reference);
          const connects =
            share(now, 'connects', 1, today) - share(typical, 'connects', before.length, reference);
          return connects - shares * rate!.reference;
        };
        return {
          account,
          campaign: newestName(own(since)),
          now: sum(own(now), attempts),
          typical: (scale * sum(own(typical), attempts)) / before.length,
          effect: rate === null ? 0 : effect(),
        };
      });
    })
    .sort((one, other) => differenceOf(other) - differenceOf(one));
}

const differenceOf = ({ now, typical }: Mover) => Math.abs(now - typical);

type Explained = {
  readonly by: 'campaigns' | 'accounts';
  readonly rows: readonly Mover[];
  readonly others: number;
};

/** Whether attempts moved by a tenth and 20, and the rate by two points of 100 attempts. */
export function movedOf({ attempts, connectRate }: Changes): readonly ('attempts' | 'rate')[] {
  const times = (change: number, bound: number) => Math.abs(Number((change / bound).toFixed(9)));
  const byAttempts =
    attempts === null || Math.abs(attempts.now - attempts.reference) < 20
      ? 0
      : times(attempts.now / attempts.reference - 1, 0.1);
  const byRate =
    connectRate === null || Math.min(connectRate.attempts.now, connectRate.attempts.reference) < 100
      ? 0
      : times(connectRate.now - connectRate.reference, 0.02);
  const all = [
    { measure: 'attempts' as const, by: byAttempts },
    { measure: 'rate' as const, by: byRate },
  ];
  return all
    .filter(({ by }) => by >= 1)
    .sort((one, other) => other.by - one.by)
    .map(({ measure }) => measure);
}

/** The campaigns or accounts that make up most of what moved; null if five of them don't make up half of it. */
export function explained({ total: changes, campaigns, accounts }: Comparison): Explained | null {
  const moved = movedOf(changes);
  const all = total(campaigns.map(differenceOf));
  const isShifted =
    changes.attempts !== null && all >= Math.max(20, changes.attempts.reference / 10) && all > 0;
  const measures = moved.length > 0 ? moved : isShifted ? (['attempts'] as const) : [];
  if (measures.length === 0) return null;
  for (const [by, parts] of [
    ['campaigns', campaigns],
    ['accounts', accounts.length > 1 ? accounts : []],
  ] as const) {
    const size = (part: Mover, measure: 'attempts' | 'rate') =>
      measure === 'attempts' ? differenceOf(part) : Math.abs(part.effect);
    const share = (part: Mover, measure: 'attempts' | 'rate') => {
      const sum = total(parts.map((each) => size(each, measure)));
      return sum === 0 ? 0 : size(part, measure) / sum;
    };
    const most = (part: Mover) => Math.max(...measures.map((measure) => share(part, measure)));
    const largest = parts.toSorted((one, other) => most(other) - most(one)).slice(0, 5);
    const explains = (number: number, measure: 'attempts' | 'rate') =>
      total(largest.slice(0, number).map((part) => share(part, measure)));
    const needed = [1, 2, 3, 4].find((number) => measures.every((each) => explains(number, each) > 0.9)) ?? 5;
    const rows = largest.slice(0, needed);
    if (rows.length > 0 && explains(needed, measures[0]!) >= 0.5)
      return { by, rows, others: parts.length - rows.length };
  }
  return null;
}

export const newestName = (rows: readonly Row[]) =>
  rows.reduce((newest, row) => (row.day >= newest.day ? row : newest)).campaign;

type CampaignRows = { readonly account: string; readonly rows: readonly Row[] };

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
