import type { Day } from './day.ts';

/** The unit of truth: one account on one day. */
export type Window = { readonly account: string; readonly day: Day };

export type WindowState = 'loaded' | 'provisional' | 'failed';

/** What the ledger knows of a window. A window without an entry is missing. Nights are dates in `TIME_ZONE`. */
export type LedgerEntry = Window & {
  readonly state: WindowState;
  /** Night of the last answer; null if there never was one. */
  readonly syncedRunDate: Day | null;
  /** Night on which the counts that stand were told first. */
  readonly sameSinceRunDate: Day | null;
  /** Whether the last try failed. */
  readonly failed: boolean;
  /** Whether a newer answer is held back. */
  readonly held: boolean;
};
