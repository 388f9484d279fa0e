import type { Day } from './day.ts';

/**
 * The kind of a run. `nightly`: whatever is due; `dated`: certain days or accounts; `digest`: one sent by hand;
 * the others are commands of that name.
 */
export type RunKind = 'nightly' | 'dated' | 'backfill' | 'accept' | 'digest' | 'replay' | 'forget';

export type RunOutcome = 'done' | 'partial' | 'failed' | 'interrupted';

/** The records of a scheduled time. */
export type ScheduledRun = {
  /** The time of the first migration. */
  readonly installedAt: string;
  /** Its newest run, retries and restarts included; null before the first. */
  readonly newest: {
    readonly number: number;
    readonly runDate: Day;
    readonly retryUntil: string | null;
    /** The time of its retry; null if it isn't retried. */
    readonly retryAt: string | null;
    /** Null if it is running, or was killed. */
    readonly outcome: RunOutcome | null;
    readonly exitCode: number | null;
    /** It had ended when this process read its settings. */
    readonly isOlderThanSettings: boolean;
  } | null;
  /** Any run holds the run lock now. */
  readonly lockHeld: boolean;
};

/** The steps of a run, as the log and `etl.runs.summary` name them. */
export type RunStep = 'clients' | 'windows' | 'digests' | 'mail' | 'archive' | 'alerts';

/** The progress of long work. */
export type Progress = {
  /** The counted item: `window`, `client page`. */
  readonly unit: string;
  readonly done: number;
  /** Null while it is unknown. */
  readonly total: number | null;
  readonly failed: number;
};

/** Gets null at the end of each run: nothing is shown while a retry waits. */
export type OnProgress = (progress: Progress | null) => void;
