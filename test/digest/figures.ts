import { buildContent } from '../../src/digest/compose.ts';
import { factsOf } from '../../src/digest/content/facts.ts';
import { createFormat } from '../../src/digest/format.ts';
import { digestCsv } from '../../src/digest/render/csv.ts';
import { digestText } from '../../src/digest/render/text.ts';
import type { Anomaly, AnomalyCode } from '../../src/model/anomaly.ts';
import { addDays } from '../../src/model/day.ts';
import type {
  AccountCoverage,
  AccountDay,
  AccountTotals,
  Attention,
  CsvAttachment,
  CsvColumns,
  CsvStyle,
  DigestDefinition,
  DigestFigures,
  DigestRow,
  TopCampaign,
} from '../../src/model/digest.ts';
import { periodOf } from '../../src/model/period.ts';
import type { CountName, Sums } from '../../src/model/records.ts';

type Numbers = { readonly [name in CountName]?: number | null };

export const sumsOf = ({
  attempts = null,
  busies = null,
  connects = null,
  liveAnswers = null,
}: Numbers): Sums => ({
  attempts,
  busies,
  connects,
  liveAnswers,
});

/** What rates are made of where each campaign reports what is there. */
export function ratesOf(sums: Sums): AccountTotals['rates'] {
  const rate = (part: number | null) => {
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
  const missing = (sum: number | null) => (sum === null ? campaigns : 0);
  return {
    account: 'north',
    label: 'North office',
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
    lackingDays: rest.state === undefined || rest.state === 'loaded' ? [] : ['2026-11-19'],
    ...rest,
    campaigns,
    idle: rest.idle ?? 0,
  };
}

/** What may speak against a response, one of each. */
export const anomalies = {
  announced: { code: 'announced', announced: 9, listed: 4, known: false },
  unreadable: { code: 'unreadable', records: 2, known: false },
  error: { code: 'error', text: 'Trial ends soon', known: false },
  unreported: { code: 'unreported', counts: ['connects', 'liveAnswers'], known: false },
  no_calls: { code: 'no_calls', known: false },
  same_campaigns: { code: 'same_campaigns', known: false },
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

const partsOf = (attempts: number) => ({
  attempts,
  busies: Math.round(attempts / 10),
  connects: Math.round(attempts / 2),
  liveAnswers: Math.round(attempts / 4),
});

/** A day of an account with the attempts given, and half of them connects. */
export function accountDay(
  account: string,
  day: string,
  attempts: number,
  connects = partsOf(attempts).connects,
): AccountDay {
  const sums = sumsOf({ ...partsOf(attempts), connects });
  return {
    account,
    day,
    provisional: false,
    campaigns: 41,
    ...sums,
    connectRate: ratesOf(sums).connects,
  };
}

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

export function coverage(part: Partial<AccountCoverage> = {}): AccountCoverage {
  return {
    label: 'North office',
    lacking: [],
    provisional: [],
    ...part,
  };
}

export const quiet: Attention = {
  restated: [],
  held: [],
  newClients: [],
  vanishedClients: [],
  lowBalances: { count: 0, newCount: 0, lowest: [] },
};

export function figures(part: Partial<DigestFigures> = {}): DigestFigures {
  const { day = '2026-11-19', accounts = [accountTotals()] } = part;
  const isConfirmed = accounts.every(
    ({ state, provisionalDays }) => state === 'loaded' && provisionalDays.length === 0,
  );
  return {
    name: 'Campaigns',
    locale: 'en-GB',
    timeZone: 'UTC',
    lowBalance: null,
    link: null,
    period: periodOf('day', day),
    day,
    accounts,
    before: null,
    earlier: [],
    history: [],
    topCampaigns: [],
    movers: [],
    extremeRates: [],
    coverage: [coverage()],
    completeThrough: isConfirmed ? day : addDays(day, -1),
    asOf: '2026-11-20 06:30:02.123456+00',
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
  buildContent(factsOf(given), csv, formatOf(given));

/** The subject and the text of a mail. */
export function mailOf(part: Partial<DigestFigures>, csv = attached): string {
  const content = contentOf(figures(part), csv);
  return `${content.subject}\n\n${digestText(content)}`;
}
