import type { Day } from '../model/day.ts';
import type { OnProgress } from '../model/progress.ts';
import { windowsMissing } from '../planning/windows-missing.ts';
import { expectSince } from '../warehouse/accounts.ts';
import { readLedger } from '../warehouse/ledger.ts';
import { createBackfillPull, GivenUp } from './backfill-pull.ts';
import { requireSchema } from './database.ts';
import type { Parts } from './parts.ts';
import { pullWindows } from './pull-windows.ts';
import { asRun, type RunReport } from './run.ts';
import { selectAccounts } from './select-accounts.ts';

export type BackfillRequest = {
  readonly command: string;
  readonly from: Day;
  readonly to: Day;
  /** Names of accounts; null for all. */
  readonly accounts: readonly string[] | null;
};

/**
 * Loads the days that are not loaded yet, newest first: no walk, no digest, no run lock. It may run beside a night
 * and on several machines: the window's own transaction makes each right, and what is loaded meanwhile is left out.
 *
 * @param stop takes no further window once it is aborted; what is in flight is loaded first
 */
export async function backfill(
  parts: Parts,
  request: BackfillRequest,
  stop: AbortSignal,
  onProgress: OnProgress,
): Promise<RunReport> {
  await requireSchema(parts.warehouse);
  const start = { command: request.command, slot: null, exclusive: false };
  // Of its own: requests in flight go on when the backfill is stopped.
  const { signal } = new AbortController();
  return await asRun(parts, start, signal, async (run) => {
    const accounts = await selectAccounts(run, request.accounts);
    for (const { id } of accounts) await expectSince(run.warehouse, id, request.from);
    const ledger = await readLedger(run.warehouse, request.from);
    const windows = windowsMissing({ ...request, accounts, ledger, now: run.clock() });
    if (windows.length === 0) run.log.info(`every day from ${request.from} to ${request.to} is loaded`);
    const pull = createBackfillPull(run, windows.length, onProgress);
    try {
      await pullWindows(
        { ...run, signal: AbortSignal.any([stop, pull.givenUp]) },
        accounts,
        windows,
        pull.one,
      );
    } catch (error) {
      if (!(error instanceof GivenUp)) throw error;
      run.tally.windows.failed += error.failed;
      run.tally.failures.push(error.told);
      run.log.error(`given up after ${error.failed} days in a row: ${error.told.line}`);
    }
  });
}
