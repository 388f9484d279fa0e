import type { Day } from './day.ts';

/**
 * What a run is to do: `nightly` whatever is due, `dated` certain days or accounts, `digest` to send one by hand; the
 * others are the command of that name.
 */
export type RunKind = 'nightly' | 'dated' | 'backfill' | 'accept' | 'digest' | 'replay' | 'forget';

/** How a run ended. */
export type RunOutcome = 'done' | 'partial' | 'failed' | 'interrupted';

/** What the warehouse knows of a scheduled time. */
export type ScheduledRun = {
  /** When the warehouse was set up. */
  readonly installedAt: string;
  /** Its run or, if that was retried or restarted, the newest of its runs; null before the first. */
  readonly newest: {
    readonly number: number;
    readonly runDate: Day;
    readonly retryUntil: string | null;
    /** When it is retried; null if it isn't. */
    readonly retryAt: string | null;
    /** Null if it is at work, or was killed. */
    readonly outcome: RunOutcome | null;
  } | null;
  /** Any run holds the run lock now. */
  readonly lockHeld: boolean;
};

/** The steps of a run, as its log and `etl.runs.summary` name them. */
export type RunStep = 'clients' | 'windows' | 'digests' | 'mail' | 'archive' | 'alerts';

/** How far a long piece of work is. */
export type Progress = {
  /** Counted items, as one reads it: `window`, `page of clients`. */
  readonly unit: string;
  readonly done: number;
  /** Null while it is unknown. */
  readonly total: number | null;
  readonly failed: number;
};

export type OnProgress = (progress: Progress) => void;
