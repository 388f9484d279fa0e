import { buildDigest } from '../../src/digest/compose.ts';
import { factsOf } from '../../src/digest/content/facts.ts';
import { shownDays, toDateSpans } from '../../src/digest/content/totals.ts';
import { createFormat } from '../../src/digest/format.ts';
import { digestCsv } from '../../src/digest/render/csv.ts';
import { mailText } from '../../src/digest/render/text.ts';
import type { Anomaly, AnomalyCode } from '../../src/model/anomaly.ts';
import { addDays, type Day } from '../../src/model/day.ts';
import type {
  AccountTotals,
  Attention,
  CsvAttachment,
  CsvColumns,
  CsvStyle,
  DigestDefinition,
  DigestFigures,
  DigestRow,
  Mover,
  Movers,
  PeriodFigures,
  SpanSums,
  TopCampaign,
  Typical,
} from '../../src/model/digest.ts';
import { daysOf, type Period, periodOf } from '../../src/model/period.ts';
import { type CountName, countNames, type Sums } from '../../src/model/records.ts';

type Numbers = { readonly [name in CountName]?: number | bigint | null };

export const sumsOf = ({
  attempts = null,
  busies = null,
  connects = null,
  liveAnswers = null,
}: Numbers): Sums => ({
  attempts: exact(attempts),
  busies: exact(busies),
  connects: exact(connects),
  liveAnswers: exact(liveAnswers),
});

const exact = (number: number | bigint | null) => (number === null ? null : BigInt(number));

/** What rates are made of where each campaign reports what is there. */
export function ratesOf(sums: Sums): AccountTotals['rates'] {
  const rate = (part: bigint | null) => {
    const both = part !== null && sums.attempts !== null;
    return both ? { part, attempts: sums.attempts } : { part: null, attempts: null };
  };
  return {
    connects: rate(sums.connects),
    liveAnswers: rate(sums.liveAnswers),
    busies: rate(sums.busies),
  };
}

/** The design's example: 12,480 attempts on a Thursday; of each count that is there, every campaign reports it. */
export function accountTotals(part: Omit<Partial<AccountTotals>, CountName> & Numbers = {}): AccountTotals {
  const { attempts = 12_480, busies = 1_248, connects = 7_613, liveAnswers = 4_992, ...rest } = part;
  const sums = sumsOf({ attempts, busies, connects, liveAnswers });
  const campaigns = part.campaigns ?? 41;
  const missing = (sum: bigint | null) => (sum === null ? campaigns : 0);
  return {
    account: 'north',
    label: 'North office',
    since: '2026-01-01',
    state: 'loaded',
    ...sums,
    unreported: {
      attempts: missing(sums.attempts),
      busies: missing(sums.busies),
      connects: missing(sums.connects),
      liveAnswers: missing(sums.liveAnswers),
    },
    rates: ratesOf(sums),
    provisionalDays: [],
    loadedDays: rest.state === 'missing' ? [] : ['2026-11-19'],
    callingDays: (sums.attempts ?? 0n) > 0n ? ['2026-11-19'] : [],
    lackingDays: rest.state === undefined || rest.state === 'loaded' ? [] : ['2026-11-19'],
    ...rest,
    campaigns,
    idle: rest.idle ?? 0,
  };
}

/** What may speak against a response, one of each. */
export const anomalies = {
  announced: { code: 'announced', announced: 9, listed: 4, known: false },
  not_finished: { code: 'not_finished', text: 'status: processing', known: false },
  unreadable: { code: 'unreadable', records: 2, known: false },
  unreadable_counts: { code: 'unreadable_counts', campaigns: 2, listed: 9, known: false },
  error: { code: 'error', text: 'Trial ends soon', known: false },
  unreported: { code: 'unreported', counts: ['connects', 'liveAnswers'], known: false },
  no_list: { code: 'no_list', text: 'HTTP 204', known: false },
  no_calls: { code: 'no_calls', known: false },
  same_campaigns: { code: 'same_campaigns', known: false },
  same_figures: { code: 'same_figures', datesIgnored: false, known: false },
} as const satisfies { readonly [code in AnomalyCode]: Anomaly & { readonly code: code } };

/** The digest's day of an account, if this speaks against it. */
export const doubted = (...given: readonly Anomaly[]): Pick<AccountTotals, 'provisionalDays'> => ({
  provisionalDays: [{ day: '2026-11-19', anomalies: given }],
});

/** A campaign among the top ten, whose counts are reported. */
export function topCampaign(
  part: Required<Numbers> & Pick<TopCampaign, 'label' | 'callsetId' | 'campaign'>,
): TopCampaign {
  const { label, callsetId, campaign, ...counts } = part;
  const { attempts, busies, connects, liveAnswers, rates } = accountTotals(counts);
  return { label, callsetId, campaign, attempts, busies, connects, liveAnswers, rates };
}

/** A finished day of an account, of which the days of a chart and what is typical are made. */
export type AccountDay = Sums & {
  readonly account: string;
  readonly day: Day;
  readonly provisional: boolean;
};

/** A day of an account with the attempts given, and half of them connects. */
export const accountDay = (
  account: string,
  day: string,
  attempts: number,
  connects = partsOf(attempts).connects,
): AccountDay => ({
  account,
  day,
  provisional: false,
  ...sumsOf({ ...partsOf(attempts), connects }),
});

const partsOf = (attempts: number) => ({
  attempts,
  busies: Math.round(attempts / 10),
  connects: Math.round(attempts / 2),
  liveAnswers: Math.round(attempts / 4),
});

/** The same as the totals of the digest's day. */
export const totalsOf = (
  account: string,
  attempts: number,
  connects = partsOf(attempts).connects,
): AccountTotals => accountTotals({ label: account, account, ...partsOf(attempts), connects });

export function row(part: Partial<DigestRow> = {}): DigestRow {
  return {
    account: 'north',
    label: 'North office',
    day: '2026-11-19',
    callsetId: 4711,
    campaign: 'Spring renewals',
    attempts: 200,
    busies: 20,
    connects: 100,
    liveAnswers: 50,
    status: 'loaded',
    extra: {},
    ...part,
  };
}

/** Days of the chart that an account lacks, or that aren't confirmed. */
export type Coverage = { readonly lacking: readonly Day[]; readonly provisional: readonly Day[] };

export const coverage = (part: Partial<Coverage> = {}): Coverage => ({
  lacking: [],
  provisional: [],
  ...part,
});

/** Figures, and the days that the rest of them is made of. */
export type Given = Partial<DigestFigures> & {
  readonly history?: readonly AccountDay[];
  readonly coverage?: readonly Coverage[];
};

/** What the warehouse reads of these days for the chart, the time to date, and what is typical. */
function madeOf(history: readonly AccountDay[], coverages: readonly Coverage[], period: Period) {
  const spanOf = (from: Day, to: Day): SpanSums => {
    const own = history.filter(({ day }) => day >= from && day <= to);
    const daysWhere = (isSuch: (each: AccountDay) => boolean) => [
      ...new Set(own.filter(isSuch).map(({ day }) => day)),
    ];
    const within = (days: readonly Day[]) => days.filter((day) => day >= from && day <= to);
    const sums = addUp(own);
    const provisional = new Set([
      ...daysWhere((each) => each.provisional),
      ...coverages.flatMap((each) => within(each.provisional)),
    ]);
    return {
      ...sums,
      rates: ratesOf(sums),
      state: own.length > 0 ? 'loaded' : 'missing',
      loadedDays: daysWhere(() => true),
      callingDays: daysWhere(({ attempts }) => (attempts ?? 0n) > 0n),
      lackingDays: [...new Set(coverages.flatMap((each) => within(each.lacking)))],
      provisionalDays: [...provisional].map((day) => ({ day, anomalies: [] })),
    };
  };
  const accounts = [...new Set(history.map(({ account }) => account))];
  return {
    days: shownDays(period).map((day) => ({ day, ...spanOf(day, day) })),
    toDate: (history.length === 0 ? [] : toDateSpans(period)).map((span) => ({
      ...span,
      ...spanOf(span.from, period.to),
    })),
    typical: accounts.flatMap((account) => typicalOf(account, history, period) ?? []),
  };
}

const addUp = (days: readonly Sums[]): Sums =>
  sumsOf(
    Object.fromEntries(
      countNames.map((name) => {
        const sums = days.map((day) => day[name]);
        const isKnown = days.length > 0 && !sums.includes(null);
        return [name, isKnown ? sums.reduce((sum, each) => sum! + each!, 0n) : null];
      }),
    ),
  );

function typicalOf(
  account: string,
  history: readonly AccountDay[],
  { every, from, to }: Period,
): Typical | null {
  const callingDaysIn = (period: Period) =>
    history.filter(
      (each) =>
        each.account === account &&
        each.day >= period.from &&
        each.day <= period.to &&
        (each.attempts ?? 0n) > 0n,
    ).length;
  const before =
    every === 'month'
      ? [periodOf('month', addDays(from, -1))]
      : [1, 2, 3, 4, 5, 6, 7, 8].map((weeks) => periodOf(every, addDays(to, -7 * weeks)));
  const calling = before.flatMap((period) => {
    const days = history.filter(
      (each) =>
        each.account === account && !each.provisional && each.day >= period.from && each.day <= period.to,
    );
    const sums = addUp(days);
    return days.length === daysOf(period).length && (sums.attempts ?? 0n) > 0n ? [{ sums, days }] : [];
  });
  if (calling.length < (every === 'month' ? 1 : 2)) return null;
  const last = calling.slice(0, 4).sort((one, other) => Number(one.sums.attempts! - other.sums.attempts!));
  const own = last.length < 3 ? last : last.slice(1, -1);
  const mean = (name: CountName) => own.reduce((sum, each) => sum + Number(each.sums[name]), 0) / own.length;
  return {
    account,
    attempts: mean('attempts'),
    busies: mean('busies'),
    connects: mean('connects'),
    liveAnswers: mean('liveAnswers'),
    connectRate: { part: mean('connects'), attempts: mean('attempts') },
    callingDays:
      every === 'month'
        ? { now: callingDaysIn({ every, from, to }), typical: callingDaysIn(before[0]!) }
        : null,
  };
}

/** What was mailed of an account, or is true now, by its totals. */
export function periodFigures(totals: AccountTotals): PeriodFigures {
  const { account, label, attempts, busies, connects, liveAnswers, rates, provisionalDays } = totals;
  const loaded = provisionalDays.length > 0 ? 'provisional' : 'whole';
  return {
    account,
    label,
    attempts,
    busies,
    connects,
    liveAnswers,
    connectRate: rates.connects,
    state: { loaded, incomplete: 'incomplete', missing: 'absent' }[totals.state] as PeriodFigures['state'],
    content: `${totals.state} ${[attempts, busies, connects, liveAnswers].join(' ')}`,
  };
}

export const quiet: Attention = {
  newAccounts: [],
  goneAccounts: [],
  held: [],
  newClients: [],
  vanishedClients: [],
  lowBalances: { count: 0, newCount: 0, lowest: [] },
  known: [],
};

/** A campaign that moved, half of its attempts connected. */
export const mover = (
  campaign: string,
  label: string,
  now: number,
  typical: number,
  part: Partial<Mover> = {},
): Mover => ({
  label,
  callsetId: 4_800,
  campaign,
  attempts: { now, typical },
  rate: {
    now: { part: now / 2, attempts: now },
    typical: { part: typical / 2, attempts: typical },
  },
  since: null,
  noneSince: null,
  ...part,
});

/** The campaigns that moved, of which there are no others unless it says so. */
export function moversOf(campaigns: readonly Mover[] = [], part: Partial<Movers> = {}): Movers {
  const differences = campaigns.map(({ attempts: { now, typical } }) => now - typical);
  return {
    campaigns,
    count: campaigns.length,
    moved: { attempts: differences.reduce((sum, each) => sum + Math.abs(each), 0), rate: 0 },
    up: { attempts: differences.filter((each) => each > 0).length, rate: 0 },
    down: { attempts: differences.filter((each) => each < 0).length, rate: 0 },
    ...part,
  };
}

export function figures({ history = [], coverage: coverages = [], ...part }: Given = {}): DigestFigures {
  const { day = '2026-11-19', accounts = [accountTotals()] } = part;
  const { period = periodOf('day', day) } = part;
  const isConfirmed = accounts.every(
    ({ state, provisionalDays }) => state === 'loaded' && provisionalDays.length === 0,
  );
  return {
    name: 'Campaigns',
    locale: 'en-GB',
    timeZone: 'UTC',
    lowBalance: null,
    link: null,
    period,
    day,
    accounts,
    before: null,
    earlier: [],
    ...madeOf(history, coverages, period),
    topCampaigns: [],
    movers: moversOf(),
    extremeRates: [],
    completeThrough: isConfirmed ? day : addDays(day, -1),
    asOf: '2026-11-20 06:30:02.123456+00',
    readAt: '2026-11-20 06:31:00+00',
    attention: quiet,
    ...part,
  };
}

export function definition(part: Partial<DigestDefinition> = {}): DigestDefinition {
  return {
    name: 'Campaigns',
    to: ['ana@example.com'],
    every: 'day',
    accounts: ['north'],
    locale: 'en-GB',
    timeZone: 'UTC',
    extraFields: [],
    lowBalance: null,
    csv: commas,
    quietDays: 'skip',
    link: null,
    ...part,
  };
}

export const commas: CsvStyle = { separator: ',', decimal: '.' };

const allColumns: CsvColumns = {
  attempts: true,
  busies: true,
  connects: true,
  liveAnswers: true,
  extraFields: [],
};

/** The whole CSV at once. */
export async function csvText(
  rows: readonly DigestRow[],
  columns: Partial<CsvColumns> = {},
  style = commas,
): Promise<string> {
  const pages = (async function* () {
    yield rows;
  })();
  const chunks = await Array.fromAsync(digestCsv(pages, { ...allColumns, ...columns }, style));
  return Buffer.concat(chunks).toString('utf8');
}

export const attached: CsvAttachment = { content: Buffer.from('\ufeff"account"\r\n'), isWhole: true };

const formatOf = ({ locale, timeZone, day }: DigestFigures) => createFormat(locale, timeZone, day);

/** What a digest says, in its words. */
export const contentOf = (given: DigestFigures, csv = attached) =>
  buildDigest(factsOf(given), csv, formatOf(given));

/** The subject and the text of a mail. */
export function mailOf(part: Given, csv = attached): string {
  const content = contentOf(figures(part), csv);
  return `${content.subject}\n\n${mailText(content)}`;
}
