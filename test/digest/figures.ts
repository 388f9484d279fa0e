import { buildDigest } from '../../src/digest/compose.ts';
import { factsOf } from '../../src/digest/content/facts.ts';
import { createFormat } from '../../src/digest/format.ts';
import { digestCsv } from '../../src/digest/render/csv.ts';
import { mailText } from '../../src/digest/render/text.ts';
import type { Anomaly, AnomalyCode } from '../../src/model/anomaly.ts';
import { addDays, type Day } from '../../src/model/day.ts';
import type {
  AccountTotals,
  Attention,
  CampaignFigures,
  Campaigns,
  ChartDay,
  CsvAttachment,
  CsvColumns,
  CsvStyle,
  DigestDefinition,
  DigestFigures,
  DigestRow,
  Part,
  PeriodFigures,
  SpanSums,
  Typical,
} from '../../src/model/digest.ts';
import { periodOf } from '../../src/model/period.ts';
import type { CountName, Sums } from '../../src/model/records.ts';

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
    error: null,
    ...rest,
    campaigns,
    idle: rest.idle ?? 0,
  };
}

/** What an account has that isn't loaded. */
export const noFigures = { campaigns: 0, attempts: null, busies: null, connects: null, liveAnswers: null };

/** What may speak against a response, one of each. */
export const anomalies = {
  announced: {
    code: 'announced',
    field: 'campaigns',
    announced: 9,
    listed: 4,
    confirmedBy: null,
  },
  unreadable: { code: 'unreadable', reason: 'no id', records: 2, confirmedBy: null },
  unreadable_counts: { code: 'unreadable_counts', campaigns: 2, confirmedBy: null },
  remark: { code: 'remark', sign: 'message: Trial ends soon', confirmedBy: null },
  missing_counts: { code: 'missing_counts', count: 'connects', confirmedBy: null },
  empty: { code: 'empty', sign: 'HTTP 204', confirmedBy: null },
  no_calls: { code: 'no_calls', confirmedBy: null },
  same_figures: { code: 'same_figures', confirmedBy: null },
} as const satisfies { readonly [code in AnomalyCode]: Anomaly & { readonly code: code } };

/** The digest's day of an account, if this speaks against it. */
export const provisionalBy = (...given: readonly Anomaly[]): Pick<AccountTotals, 'provisionalDays'> => ({
  provisionalDays: [{ day: '2026-11-19', anomalies: given }],
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

export type Given = Partial<DigestFigures>;

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

/** What is typical of an account: so many attempts, of which half connect. */
export function typical(account: string, attempts: number, connects = partsOf(attempts).connects): Typical {
  return {
    account,
    ...partsOf(attempts),
    connects,
    connectRate: { part: connects, attempts },
    callingDays: null,
  };
}

/** Days of all accounts together: so many attempts, of which half connect; null if none is loaded. */
export function span(attempts: number | null, part: Partial<SpanSums> = {}, connects?: number): SpanSums {
  const parts = attempts === null ? {} : partsOf(attempts);
  const sums = sumsOf(connects === undefined ? parts : { ...parts, connects });
  return {
    ...sums,
    rates: ratesOf(sums),
    state: attempts === null ? 'missing' : 'loaded',
    loadedDays: [],
    callingDays: [],
    lackingDays: [],
    provisionalDays: [],
    ...part,
  };
}

/** A day of the chart; null if it isn't loaded. */
export const chartDay = (
  day: Day,
  attempts: number | null,
  part: Partial<SpanSums> = {},
  connects?: number,
): ChartDay => ({
  day,
  ...span(attempts, { loadedDays: attempts === null ? [] : [day], ...part }, connects),
});

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
  sameCampaigns: [],
};

/** A campaign with so many attempts, of which half connect, and what it typically has; null if it isn't compared. */
export function campaign(
  name: string | null,
  label: string,
  now: number,
  typical: number | null,
  part: Partial<CampaignFigures> = {},
): CampaignFigures {
  const { attempts, busies, connects, liveAnswers, rates } = totalsOf(label, now);
  return {
    account: label,
    label,
    callsetId: 4_711,
    campaign: name,
    ...{ attempts, busies, connects, liveAnswers, rates },
    part: typical === null ? null : { attempts: { now, typical }, rate: ratesAt(now, typical) },
    since: null,
    noneSince: null,
    isUnusual: { attempts: true, rate: true },
    ...part,
  };
}

/** What rates are made of, if such shares of the attempts connect. */
export const ratesAt = (now: number, typical: number, share = 0.5, typicalShare = share): Part['rate'] => ({
  now: { part: share * now, attempts: now },
  typical: { part: typicalShare * typical, attempts: typical },
});

/** The campaigns of a period, of which there are no others unless it says so. */
export function campaignsOf(rows: readonly CampaignFigures[] = [], part: Partial<Campaigns> = {}): Campaigns {
  const moved = rows.flatMap(({ part }) => (part === null ? [] : part.attempts.now - part.attempts.typical));
  return {
    rows,
    count: rows.length,
    up: { attempts: moved.filter((each) => each > 0).length, rate: 0 },
    down: { attempts: moved.filter((each) => each < 0).length, rate: 0 },
    ...part,
  };
}

export function figures(part: Given = {}): DigestFigures {
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
    typical: [],
    days: [],
    toDate: [],
    late: [],
    campaigns: campaignsOf(),
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
