import os from 'node:os';
import { inTransaction } from '../../warehouse/db/transaction.ts';
import { finishRun, recordUnbegunRun } from '../../warehouse/ledger/runs.ts';
import { recordAlert } from '../../warehouse/outbox/alerts.ts';
import type { AppContext, Unrecorded } from '../run/app-context.ts';
import { requireSchema } from '../run/database.ts';

export const isAnythingUnrecorded = ({ error, ending, notified }: Unrecorded) =>
  error !== null || ending !== null || notified.size > 0;

/**
 * Writes what this process knows and could not write: that its last run failed, and of what somebody was notified. From then on it is
 * an alert like any other. Rejects as long as the database takes no rows, or has the schema of another version: nothing is written there.
 */
export async function recordLastRunFailure({
  config,
  redactOwn,
  unrecorded,
  warehouse,
}: AppContext): Promise<void> {
  if (!isAnythingUnrecorded(unrecorded)) return;
  await requireSchema(warehouse);
  const { error, ending, notified } = unrecorded;
  await inTransaction(warehouse, async (transaction) => {
    if (ending !== null) await finishRun(transaction, ending.run, ending.end);
    // A run that is retried has not failed yet.
    else if (error?.isLast && error.isNightly) {
      const { code, detail, exitCode, command, number, runDate, wantedAt } = error;
      const service = config.service.baseUrl || null;
      const start = { command, number, runDate, service, host: os.hostname(), processId: process.pid };
      const summary = { ended: redactOwn(detail), endedCode: code };
      const end = { outcome: 'failed', exitCode, retryAt: null, summary } as const;
      await recordUnbegunRun(transaction, start, end, performance.now() - wantedAt);
    }
    for (const [key, { title, runDate }] of notified)
      await recordAlert(transaction, { key, title }, runDate, runDate);
  });
  unrecorded.error = null;
  unrecorded.ending = null;
  notified.clear();
}
