import type { Day } from './day.ts';

/** The unit of truth: one account on one day. */
export type Window = { readonly account: string; readonly day: Day };

/** What the ledger knows of a window. A window without an entry is missing. */
export type LedgerEntry = {
  readonly account: string;
  readonly day: Day;
  readonly state: 'loaded' | 'provisional' | 'failed';
  /** Night (a date in `TIME_ZONE`) of the last successful pull. */
  readonly pulledNight: Day | null;
};
