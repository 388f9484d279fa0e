import { digestCsv } from '../../src/digest/render/csv.ts';
import type {
  AccountCoverage,
  AccountDay,
  AccountTotals,
  Attention,
  CsvAttachment,
  DigestDefinition,
  DigestFigures,
  DigestRow,
} from '../../src/model/digest.ts';

/** The design's example: 12,480 attempts on a Thursday. */
export function accountTotals(part: Partial<AccountTotals> = {}): AccountTotals {
  return {
    account: 'north',
    label: 'North office',
    state: 'loaded',
    campaigns: 41,
    attempts: 12_480,
    busies: 1_248,
    connects: 7_613,
    liveAnswers: 4_992,
    ...part,
  };
}

/** A day of an account with the attempts given, and half of them connects. */
export function accountDay(account: string, day: string, attempts: number): AccountDay {
  return {
    account,
    day,
    attempts,
    busies: attempts / 10,
    connects: attempts / 2,
    liveAnswers: attempts / 4,
  };
}

/** The same as the totals of the digest's day. */
export const totalsOf = (account: string, attempts: number): AccountTotals =>
  accountTotals({ label: account, ...accountDay(account, '', attempts) });

export function row(part: Partial<DigestRow> = {}): DigestRow {
  return {
    account: 'north',
    label: 'North office',
    clientId: 17,
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
    completeThrough: '2026-11-19',
    missing: 0,
    firstMissing: null,
    lastMissing: null,
    recentlyMissing: [],
    ...part,
  };
}

export const quiet: Attention = {
  restated: [],
  held: [],
  suspicious: [],
  quarantined: [],
  newClients: [],
  vanishedClients: [],
  lowBalances: [],
  lowBalanceCount: 0,
};

export function figures(part: Partial<DigestFigures> = {}): DigestFigures {
  return {
    name: 'Campaigns',
    locale: 'en-GB',
    timeZone: 'UTC',
    lowBalance: null,
    day: '2026-11-19',
    accounts: [accountTotals()],
    before: null,
    earlierDays: [],
    history: [],
    topCampaigns: [],
    coverage: [coverage()],
    asOf: '2026-11-20 06:30:02.123456+00',
    attention: quiet,
    ...part,
  };
}

export function definition(part: Partial<DigestDefinition> = {}): DigestDefinition {
  return {
    name: 'Campaigns',
    to: ['ana@example.com'],
    accounts: ['north'],
    locale: 'en-GB',
    timeZone: 'UTC',
    extraFields: [],
    lowBalance: null,
    ...part,
  };
}

/** The whole CSV at once. */
export const csvText = (
  rows: Iterable<DigestRow> | AsyncIterable<DigestRow>,
  extraFields: readonly string[] = [],
) =>
  // `text` would take the BOM off.
  Array.fromAsync(digestCsv(rows, extraFields)).then((chunks) => Buffer.concat(chunks).toString('utf8'));

export const attached: CsvAttachment = { kind: 'plain', content: Buffer.from('\ufeff"account"\r\n') };
