import type { Day } from '../../model/day.ts';
import type { Failure } from '../../model/errors.ts';
import type { DayChange, Window } from '../../model/window.ts';
import type { KnownAccount } from '../run/accounts.ts';
import { createRunStats, type RunStats } from '../run/run-stats.ts';

/** A window to sync. */
export type WindowTask = {
  readonly account: KnownAccount;
  readonly day: Day;
  /** Whether a held response is applied. */
  readonly accepted: boolean;
  /** Whether a window that another run has loaded by now is skipped. */
  readonly missingOnly: boolean;
};

/** What became of a window. */
export type WindowResult = {
  readonly outcome: 'loaded' | 'held' | 'stale' | 'unreadable' | 'skipped' | 'failed';
  readonly provisional: boolean;
  readonly campaigns: number;
  readonly rejects: number;
  /** Rows of the warehouse, by what the response changed in them. */
  readonly rows: Readonly<RunStats['rows']>;
  /** Null unless it is held. */
  readonly heldBecause: string | null;
  /** What speaks against a response that was loaded all the same. */
  readonly suspicious: readonly string[];
  /** Whether a count of its envelope is among that: then campaigns may be missing. */
  readonly disagreeing: boolean;
  /** Counts of the envelope that are no longer compared with the number of rows. */
  readonly endedCounts: readonly string[];
  /** Whether it was missing, or had failed in an earlier run. */
  readonly healed: boolean;
  /** A recorded `fetched_at` that was ignored, for it is later than the database's clock; else null. */
  readonly futureFetchedAt: string | null;
  /** Null unless it is unreadable or failed. */
  readonly error: Failure | null;
  readonly ms: number;
};

/** A window whose attempts ended with an error. */
export type FailedWindow = { readonly task: WindowTask; readonly error: Failure };

export const skippedResult: WindowResult = {
  outcome: 'skipped',
  provisional: false,
  campaigns: 0,
  rejects: 0,
  rows: createRunStats().rows,
  heldBecause: null,
  suspicious: [],
  disagreeing: false,
  endedCounts: [],
  healed: false,
  futureFetchedAt: null,
  error: null,
  ms: 0,
};

export function failedResult(error: Failure, ms: number): WindowResult {
  return { ...skippedResult, outcome: 'failed', error, ms };
}

export function rowsOf(change: DayChange): WindowResult['rows'] {
  return {
    appeared: change.appeared.length,
    updated: change.updated.length,
    withdrawn: change.withdrawn.length,
    restated: change.restatements.length,
    unchanged: change.unchanged,
  };
}

/** The windows as tasks of a run or, `missingOnly`, of a backfill. */
export function toTasks(
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
  missingOnly: boolean,
): WindowTask[] {
  const byName = new Map(accounts.map((account) => [account.name, account]));
  return windows.map(({ account, day }) => ({
    account: byName.get(account)!,
    day,
    accepted: false,
    missingOnly,
  }));
}
