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
