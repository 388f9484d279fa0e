import type { Day } from '../model/day.ts';
import type { LedgerEntry, Window } from '../model/window.ts';
import { delayedAbort } from '../support/clock.ts';
import { lowerFirstDay } from '../warehouse/ledger/accounts.ts';
import { readLedger } from '../warehouse/ledger/ledger.ts';
import { digestsSkipped } from './digests/due.ts';
import { skipBackfilled, skipHistory } from './digests/make-digests.ts';
import { recordDigestStarts } from './digests/read-due.ts';
import { type KnownAccount, selectAccounts, spread } from './run/accounts.ts';
import type { AppContext } from './run/app-context.ts';
import { type RunReport, type RunRequest, withoutRunLock } from './run/run.ts';
import { windowsMissing } from './windows/due.ts';
import { localExecutor, syncWindows, type WindowExecutor } from './windows/sync-windows.ts';

/** Time for requests in flight once it is stopped. */
const stopTimeoutMs = 5_000;

export type BackfillRequest = RunRequest & {
  readonly from: Day;
  readonly to: Day;
  /** Names of accounts; null for all. */
  readonly accounts: readonly string[] | null;
};

/**
 * Loads the days that are not loaded yet, newest first: no walk, no digest, no run lock. It may run while other
 * runs do, on several machines: the transaction of a window keeps it correct, and it skips what others load
 * meanwhile. Once it ends, the accounts' days are expected from `from` on.
 *
 * @param stop once aborted, no further window begins, and those in flight are loaded
 */
export async function backfill(
  app: AppContext,
  request: BackfillRequest,
  stop: AbortSignal,
  executor: WindowExecutor = localExecutor,
): Promise<RunReport> {
  return await withoutRunLock(
    app,
    { ...request, kind: 'backfill' },
    delayedAbort(stop, stopTimeoutMs),
    async (run) => {
      const accounts = spread(await selectAccounts(run, request.accounts), run.id);
      await recordDigestStarts(run);
      const now = run.clock();
      const ledger = await readLedger(run.warehouse, request.from);
      const windows = windowsMissing({ ...request, accounts, ledger, now });
      // Before their days are expected: a run that starts in between mails nobody about them.
      const history = [...windows, ...loadedBefore(accounts, ledger, request.from)];
      await skipHistory(run, digestsSkipped({ ...run.config, windows: history, now }));
      if (windows.length === 0) run.log.info(`every day from ${request.from} to ${request.to} is loaded`);
      // At LOG_LEVEL debug there is a line for each day; otherwise a year would be too many.
      const log = run.log.child({}, { level: run.log.level === 'info' ? 'warn' : run.log.level });
      try {
        await syncWindows({ ...run, log, signal: stop }, accounts, windows, executor, true);
      } finally {
        await skipBackfilled(run, windows);
      }
      // An interrupted one expects nothing yet: its days would be missing until it is repeated.
      const ids = accounts.map(({ id }) => id);
      await lowerFirstDay(run.warehouse, ids, request.from);
    },
  );
}

/**
 * Loaded days that nobody expected before this backfill: a dated run brought them. Their digests are skipped,
 * too, or a run would mail somebody about history.
 */
function loadedBefore(
  accounts: readonly KnownAccount[],
  ledger: readonly LedgerEntry[],
  from: Day,
): Window[] {
  const since = new Map(accounts.map((account) => [account.name, account.since]));
  return ledger.filter(({ account, day, state }) => {
    const first = since.get(account);
    return first !== undefined && state !== 'failed' && day >= from && (first === null || day < first);
  });
}
