import type { Day } from './day.ts';
import type { CampaignRecord, Reject } from './records.ts';
import type { WindowState } from './window.ts';

/** A campaign's row as the warehouse has it. */
export type CurrentRow = CampaignRecord & { readonly withdrawn: boolean };

/** What stands of a window when an answer comes: its ledger entry and every row, withdrawn ones included. */
export type CurrentDay = {
  /** `failed` also where it was never tried. */
  readonly state: WindowState;
  readonly heldHash: string | null;
  readonly heldRunDate: Day | null;
  readonly rows: readonly CurrentRow[];
};

/** An answer as far as it is judged. */
export type LoadCandidate = {
  readonly records: readonly CampaignRecord[];
  /** Records that couldn't be read: their campaigns are listed all the same. */
  readonly rejects: readonly Reject[];
  readonly contentHash: string;
  readonly runDate: Day;
  /** Somebody looked at the held answer and wants it. */
  readonly accepted: boolean;
};

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

/** What to do with an answer: apply what it changes, or hold it back and let the day stand. */
export type LoadDecision =
  | { readonly decision: 'apply'; readonly change: DayChange }
  | { readonly decision: 'hold'; readonly because: string };
