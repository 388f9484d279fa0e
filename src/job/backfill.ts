import type { Day } from '../model/day.ts';
import type { OnProgress } from '../model/progress.ts';
import type { Window } from '../model/window.ts';
import { digestsSkipped } from '../planning/digests-skipped.ts';
import { windowsMissing } from '../planning/windows-missing.ts';
import { abortedLater } from '../support/waiting.ts';
import { expectSince } from '../warehouse/ledger/accounts.ts';
import { readLedger } from '../warehouse/ledger/ledger.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import { skipDigests } from '../warehouse/outbox/digests.ts';
import { recordDigests } from './digests/due-digests.ts';
import type { AppContext } from './run/app-context.ts';
import { requireSchema } from './run/database.ts';
import { asRun, type Run, type RunReport } from './run/run.ts';
import { type KnownAccount, selectAccounts } from './run/select-accounts.ts';
import { syncBackfillWindows } from './windows/backfill-sync.ts';
import { localExecutor, type WindowExecutor } from './windows/executor.ts';
import { toTasks, type WindowTask } from './windows/window-result.ts';

/** How long requests in flight may take once it is stopped. */
const stopTimeoutMs = 5_000;

export type BackfillRequest = {
  readonly command: string;
  readonly from: Day;
  readonly to: Day;
  /** Names of accounts; null for all. */
  readonly accounts: readonly string[] | null;
};

/**
 * Loads the days that are not loaded yet, newest first: no walk, no digest, no run lock. It may run beside other
 * runs and on several machines: a window's transaction keeps it correct, and what is loaded meanwhile is skipped.
 *
 * @param stop once aborted, no further window is begun, and what is in flight is loaded
 */
export async function backfill(
  app: AppContext,
  request: BackfillRequest,
  stop: AbortSignal,
  onProgress: OnProgress,
  executor: WindowExecutor = localExecutor,
): Promise<RunReport> {
  await requireSchema(app.warehouse);
  const start = { kind: 'backfill', command: request.command, scheduledFor: null, exclusive: false } as const;
  const signal = abortedLater(stop, stopTimeoutMs);
  return await asRun(app, start, signal, async (run) => {
    const accounts = await selectAccounts(run, request.accounts);
    const windows = await planBackfill(run, request, accounts);
    if (windows.length === 0) run.log.info(`every day from ${request.from} to ${request.to} is loaded`);
    else await syncMissing(run, toTasks(accounts, windows, true), executor, stop, onProgress);
    await followCampaigns(run.warehouse);
  });
}

/** Digests are skipped before their days are expected: a run that starts meanwhile mails nobody about them. */
async function planBackfill(
  run: Run,
  request: BackfillRequest,
  accounts: readonly KnownAccount[],
): Promise<Window[]> {
  await recordDigests(run);
  const now = run.clock();
  const ledger = await readLedger(run.warehouse, request.from);
  const windows = windowsMissing({ ...request, accounts, ledger, now });
  const skipped = digestsSkipped({ ...run.config, windows, now });
  run.stats.digests.skipped += await skipDigests(run.warehouse, skipped, run.id);
  for (const { id } of accounts) await expectSince(run.warehouse, id, request.from);
  return windows;
}

async function syncMissing(
  run: Run,
  tasks: readonly WindowTask[],
  executor: WindowExecutor,
  stop: AbortSignal,
  onProgress: OnProgress,
): Promise<void> {
  // A line for each day of a year only at LOG_LEVEL debug.
  const log = run.log.child({}, { level: run.log.level === 'info' ? 'warn' : run.log.level });
  await syncBackfillWindows({ ...run, log }, tasks, executor, stop, onProgress);
}
