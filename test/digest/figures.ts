import type { AccountTotals, DigestFigures, DigestRow } from '../../src/model/digest.ts';

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

export function row(part: Partial<DigestRow> = {}): DigestRow {
  return {
    account: 'north',
    clientId: 17,
    day: '2026-11-19',
    callsetId: 4711,
    campaign: 'Spring renewals',
    attempts: 200,
    busies: 20,
    connects: 100,
    liveAnswers: 50,
    ...part,
  };
}

export function figures(part: Partial<DigestFigures> = {}): DigestFigures {
  return {
    name: 'Campaigns',
    day: '2026-11-19',
    accounts: [accountTotals()],
    rows: [row()],
    earlierDays: [],
    ...part,
  };
}
