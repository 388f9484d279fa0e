import type { Day } from './day.ts';

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
  /** Whether the last attempt failed. */
  readonly failed: boolean;
  /** Whether a newer response is held. */
  readonly held: boolean;
};
