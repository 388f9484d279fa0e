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
  /** How its run ended; `none` where there is no run, null where it hasn't ended, as far as it could record that. */
  readonly outcome: RunOutcome | 'none' | null;
  /** The run date of its run, and until when that is retried; null where there is no run, or it isn't retried. */
  readonly runDate: Day | null;
  readonly retryUntil: string | null;
  /** The oldest run that waits for its next attempt, of this scheduled time or of one before. */
  readonly waiting: WaitingRun | null;
  /** Whether anybody holds the run lock now. */
  readonly lockHeld: boolean;
};

/** A run of a scheduled time that goes on with its next attempt. */
export type WaitingRun = {
  readonly run: number;
  readonly runDate: Day;
  readonly scheduledFor: string;
  /** How many attempts it has made. */
  readonly attempts: number;
  readonly retryAt: string;
  readonly retryUntil: string;
  /** What it did so far, as its version of the job wrote it; null where nobody knows. */
  readonly summary: { readonly [key: string]: unknown } | null;
};

/** The steps of a run, as its log and `etl.runs.summary` name them. */
export type RunStep = 'clients' | 'windows' | 'digests' | 'mail' | 'archive' | 'alerts';

/** How far a run is. */
export type RunProgress = {
  readonly step: RunStep;
  /** How much of the step is done, from 0 to 1; null where it is unknown. */
  readonly share: number | null;
  /** Of the client lists. */
  readonly pages: number;
  readonly windows: number;
  /** Null before they are planned. */
  readonly windowsDue: number | null;
  readonly windowsFailed: number;
  /** Of campaigns, new, changed or the same. */
  readonly rows: number;
  readonly mails: number;
  /** Null before they are counted. */
  readonly mailsOpen: number | null;
};

export type OnRunProgress = (progress: RunProgress) => void;

/** How far another long piece of work is: a backfill, a replay. */
export type Progress = {
  readonly total: number;
  readonly done: number;
  /** Of those that are done: how many failed. */
  readonly failed: number;
};

export type OnProgress = (progress: Progress) => void;
