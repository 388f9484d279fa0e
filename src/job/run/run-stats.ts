import type { Day } from '../../model/day.ts';
import type { DeliveryOutcome } from '../../model/digest.ts';
import type { Failure, FailureKind } from '../../model/failure.ts';
import type { RunStep } from '../../model/run.ts';

/** An error as it is reported and recorded: what happened, and where. */
export type ReportedError = {
  readonly kind: FailureKind;
  readonly account: string;
  readonly day: Day | null;
  readonly line: string;
};

/** A step of a run, and how long it took. */
export type StepTime = { readonly step: RunStep; readonly ms: number };

/** What a run did, in numbers: its summary on the log and in `etl.runs`. */
export type RunStats = {
  readonly clients: {
    pages: number;
    listed: number;
    appeared: number;
    changed: number;
    returned: number;
    absent: number;
    incompleteWalks: number;
  };
  /** `healed`: loaded although it was missing or had failed in an earlier run; history never was missing. */
  readonly windows: { loaded: number; healed: number; held: number; failed: number; stale: number };
  readonly rows: {
    appeared: number;
    updated: number;
    withdrawn: number;
    restated: number;
    unchanged: number;
  };
  rejects: number;
  readonly digests: { built: number; corrected: number; skipped: number };
  readonly deliveries: Record<DeliveryOutcome['state'], number>;
  /** Mails to `ALERT_TO`. */
  readonly alerts: { sent: number; failed: number };
  failures: ReportedError[];
  readonly steps: StepTime[];
};

export function createRunStats(): RunStats {
  return {
    clients: { pages: 0, listed: 0, appeared: 0, changed: 0, returned: 0, absent: 0, incompleteWalks: 0 },
    windows: { loaded: 0, healed: 0, held: 0, failed: 0, stale: 0 },
    rows: { appeared: 0, updated: 0, withdrawn: 0, restated: 0, unchanged: 0 },
    rejects: 0,
    digests: { built: 0, corrected: 0, skipped: 0 },
    deliveries: { sent: 0, written: 0, failed: 0, refused: 0, unknown: 0 },
    alerts: { sent: 0, failed: 0 },
    failures: [],
    steps: [],
  };
}

export function reportedError(failure: Failure, account: string, day: Day | null): ReportedError {
  return { kind: failure.kind, account, day, line: failure.line };
}

/** What a step counted, for its line of the log. */
export function countsOf(
  { clients, windows, rows, digests, deliveries, alerts }: RunStats,
  step: RunStep,
): object {
  const counts = { clients: { clients }, windows: { windows, rows }, digests: { digests } };
  return { ...counts, mail: { deliveries }, archive: {}, alerts: { alerts } }[step];
}

/** The run stats in one line: windows loaded, and then only what isn't 0. */
export function summarize({ windows, rows, rejects, failures, clients }: RunStats): string {
  const counts: (readonly [number, string])[] = [
    [windows.healed, 'healed'],
    [windows.held, 'held back'],
    [windows.failed, 'failed'],
    [rows.appeared, 'rows new'],
    [rows.updated, 'rows changed'],
    [rows.withdrawn, 'rows withdrawn'],
    [rows.restated, 'rows restated'],
    [rows.unchanged, 'rows the same'],
    [clients.appeared, 'clients new'],
    [clients.absent, 'clients absent'],
    [rejects, 'records in quarantine'],
    [failures.length, 'failures'],
  ];
  const nonzero = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return [`${windows.loaded} windows loaded`, ...nonzero].join(', ');
}
