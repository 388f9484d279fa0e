import type { Day } from './day.ts';
import type { CampaignRecord, Reading, SummaryEnvelope } from './records.ts';

/** The unit of truth: one account on one day. */
export type Window = { readonly account: string; readonly day: Day };

export type WindowState = 'loaded' | 'provisional' | 'failed';

/** What the ledger knows of a window. A window without an entry is missing. Run dates are dates in `TIME_ZONE`. */
export type LedgerEntry = Window & {
  readonly state: WindowState;
  /** Run date of the last response; null if there never was one. */
  readonly syncedRunDate: Day | null;
  /** Run date on which the current counts were first reported. */
  readonly sameSinceRunDate: Day | null;
  /** Days later on which a run still caught up on it, when a response was last applied; null if that isn't known. */
  readonly catchUpLeft: number | null;
  /** Whether the last attempt failed. */
  readonly failed: boolean;
  /** Whether a newer response is held. */
  readonly held: boolean;
};

/** A campaign's row as the warehouse has it. */
export type CurrentRow = CampaignRecord & { readonly withdrawn: boolean };

/** The current state of a window: its ledger entry and every row, withdrawn ones included. */
export type CurrentDay = {
  /** `failed` also where it was never attempted. */
  readonly state: WindowState;
  readonly heldHash: string | null;
  readonly heldRunDate: Day | null;
  readonly rows: readonly CurrentRow[];
};

/** What the load decision needs of a response. Campaigns of invalid records are listed, too. */
export type LoadCandidate = Pick<Reading<CampaignRecord>, 'records' | 'rejects'> & {
  readonly contentHash: string;
  readonly runDate: Day;
  /** Somebody looked at the held response and accepted it. */
  readonly accepted: boolean;
};

/** A row whose counts were reported differently before. */
export type Restatement = {
  readonly reason: 'changed' | 'withdrawn' | 'returned';
  readonly callsetId: number;
};

/** What a response changes about a day that may be loaded already. */
export type DayChange = {
  /** Rows that weren't there. */
  readonly appeared: readonly CampaignRecord[];
  /** Rows to rewrite: counts, name or extra differ, or a withdrawn row returned. */
  readonly updated: readonly CampaignRecord[];
  /** Ids of current rows that the response no longer has. */
  readonly withdrawn: readonly number[];
  /** Which of the above are news to somebody who had read the day as final. */
  readonly restatements: readonly Restatement[];
  readonly unchanged: number;
};

/** What to do with a response: apply what it changes, or hold it and leave the day as it is. */
export type LoadDecision =
  | { readonly decision: 'apply'; readonly change: DayChange }
  | { readonly decision: 'hold'; readonly because: string };

/** How many campaigns a response listed, and the counts beside them. */
export type CountedResponse = Pick<SummaryEnvelope, 'rows' | 'counts'>;
