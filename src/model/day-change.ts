import type { CampaignRecord } from './records.ts';

/** A campaign's row as the warehouse has it. */
export type StandingRow = CampaignRecord & { readonly withdrawn: boolean };

export type RestatementReason = 'changed' | 'withdrawn' | 'returned';

/** A row whose counts were told differently before. */
export type Restatement = { readonly reason: RestatementReason; readonly callsetId: number };

/** What an answer changes about a day that may be loaded already. */
export type DayChange = {
  /** Rows that weren't there. */
  readonly appeared: readonly CampaignRecord[];
  /** Rows to rewrite: counts, name or extra differ, or a withdrawn row returned. */
  readonly updated: readonly CampaignRecord[];
  /** Ids of standing rows that the answer no longer has. */
  readonly withdrawn: readonly number[];
  /** Which of the above are news to somebody who had read the day as final. */
  readonly restatements: readonly Restatement[];
  readonly unchanged: number;
};
