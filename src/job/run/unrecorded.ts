import type { Config } from '../../config/config.ts';
import type { Day } from '../../model/day.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { ExitCode, Interrupted } from '../../model/exit-code.ts';
import type { Warehouse } from '../../warehouse/db/database.ts';
import { inTransaction } from '../../warehouse/db/transaction.ts';
import { finishRun, type RunEnd, recordUnbegunRun } from '../../warehouse/ledger/runs.ts';
import { recordAlerts } from '../../warehouse/outbox/alerts.ts';
import { requireSchema } from './database.ts';

/** A run that an error prevented or ended, as long as no row says so. */
export type UnrecordedRun = {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly exitCode: ExitCode | Interrupted['exitCode'];
  readonly command: string;
  readonly scheduledFor: string | null;
  readonly number: number;
  readonly isNightly: boolean;
  readonly runDate: Day;
  readonly retryUntil: Temporal.Instant | null;
  /** The time of its retry; null if there is none: then it is alerted. */
  readonly retryAt: Temporal.Instant | null;
  /** Time at which the run was to begin, by `performance.now()`. */
  readonly wantedAt: number;
};

/** What the process could not write: the database may take no rows. */
export type Unrecorded = {
  run: UnrecordedRun | null;
  /** The end of a run that has begun. */
  ending: { readonly run: number; readonly end: RunEnd } | null;
  /** Alerts that somebody was notified of, by key. */
  readonly notified: Map<string, { readonly title: string; readonly runDate: Day }>;
};

export const nothingUnrecorded = (): Unrecorded => ({ run: null, ending: null, notified: new Map() });

export const isAnythingUnrecorded = ({ run, ending, notified }: Unrecorded): boolean =>
  run !== null || ending !== null || notified.size > 0;

/**
 * Writes what this process could not write: that its last run failed, and of what somebody was notified. From then on, page,
 * `status`, alerts and metrics of every process have it. A run that is older than another one of its scheduled time is
 * dropped. Rejects as long as the database takes no rows, or has the schema of another version: nothing is written there.
 */
export async function recordUnrecorded({
  config,
  redactOwn,
  unrecorded,
  warehouse,
}: {
  readonly config: Config;
  readonly redactOwn: (text: string) => string;
  readonly unrecorded: Unrecorded;
  readonly warehouse: Warehouse;
}): Promise<void> {
  if (!isAnythingUnrecorded(unrecorded)) return;
  await requireSchema(warehouse);
  const { run, ending, notified } = unrecorded;
  await inTransaction(warehouse, async (transaction) => {
    if (ending !== null) await finishRun(transaction, ending.run, ending.end);
    if (run?.isNightly) {
      const { code, detail, exitCode, retryAt, wantedAt } = run;
      const start = { ...run, service: config.service.baseUrl || null };
      const summary = { ended: redactOwn(detail), endedCode: code };
      const end = { outcome: 'failed', exitCode, retryAt, summary } as const;
      await recordUnbegunRun(transaction, start, end, performance.now() - wantedAt);
    }
    for (const [key, { title, runDate }] of notified)
      await recordAlerts(transaction, [{ key, title }], runDate, runDate);
  });
  unrecorded.run = null;
  unrecorded.ending = null;
  notified.clear();
}
