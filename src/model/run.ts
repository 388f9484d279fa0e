/**
 * What a run is to do: `nightly` whatever is due, `dated` certain days or accounts, `digest` to send one by hand; the
 * others are the command of that name.
 */
export type RunKind = 'nightly' | 'dated' | 'backfill' | 'accept' | 'digest' | 'replay';

/** How a run ended. */
export type RunOutcome = 'done' | 'partial' | 'failed' | 'interrupted';

/** What the warehouse knows of a scheduled time. */
export type ScheduledRun = {
  /** When the warehouse was set up. */
  readonly installedAt: string;
  /** How its run ended; `none` where there is no run, null where it hasn't ended, as far as it could record that. */
  readonly outcome: RunOutcome | 'none' | null;
  /** Whether anybody holds the run lock now. */
  readonly lockHeld: boolean;
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
