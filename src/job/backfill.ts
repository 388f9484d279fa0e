import type { Day } from '../model/day.ts';
import type { OnProgress } from '../model/progress.ts';
import type { Window } from '../model/window.ts';
import { digestsWaived } from '../planning/digests-waived.ts';
import { windowsMissing } from '../planning/windows-missing.ts';
import { abortedLater } from '../support/grace.ts';
import { expectSince } from '../warehouse/ledger/accounts.ts';
import { readLedger } from '../warehouse/ledger/ledger.ts';
import { followCampaigns } from '../warehouse/load/campaigns.ts';
import { waiveDigests } from '../warehouse/outbox/digests.ts';
import { enterDigests } from './digests/owed-digests.ts';
import { requireSchema } from './run/database.ts';
import type { Parts } from './run/parts.ts';
import { asRun, type Run, type RunReport } from './run/run.ts';
import { type KnownAccount, selectAccounts } from './run/select-accounts.ts';
import { createBackfillPull, GivenUp } from './windows/backfill-pull.ts';
import { pullWindows } from './windows/pull-windows.ts';
import { type Pulling, pullingHere } from './windows/pulling.ts';

/** How long requests in flight may go on once it is stopped. */
const patienceMs = 5_000;

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
  pulling: Pulling = pullingHere,
): Promise<RunReport> {
  await requireSchema(parts.warehouse);
  const start = { command: request.command, slot: null, exclusive: false };
  // Requests in flight may end when the backfill is stopped, if they do so soon.
  const signal = abortedLater(stop, patienceMs);
  return await asRun(parts, start, signal, async (run) => {
    const accounts = await selectAccounts(run, request.accounts);
    const windows = await planBackfill(run, request, accounts);
    if (windows.length === 0) run.log.info(`every day from ${request.from} to ${request.to} is loaded`);
    else await pullMissing(run, accounts, windows, pulling, stop, onProgress);
    await followCampaigns(run.warehouse);
  });
}

/** Digests are waived before their days ought to be there: a night that begins meanwhile mails nobody about them. */
async function planBackfill(
  run: Run,
  request: BackfillRequest,
  accounts: readonly KnownAccount[],
): Promise<Window[]> {
  await enterDigests(run);
  const now = run.clock();
  const ledger = await readLedger(run.warehouse, request.from);
  const windows = windowsMissing({ ...request, accounts, ledger, now });
  const waived = digestsWaived({ ...run.config, windows, now });
  run.tally.digests.waived += await waiveDigests(run.warehouse, waived, run.id);
  for (const { id } of accounts) await expectSince(run.warehouse, id, request.from);
  return windows;
}

async function pullMissing(
  run: Run,
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
  pulling: Pulling,
  stop: AbortSignal,
  onProgress: OnProgress,
): Promise<void> {
  const pull = createBackfillPull(run, pulling, windows.length, onProgress);
  const signal = AbortSignal.any([stop, pull.givenUp]);
  // A line for each day of a year is for those who ask for it.
  const log = run.log.child({}, { level: run.log.level === 'info' ? 'warn' : run.log.level });
  try {
    await pullWindows({ ...run, log, signal }, accounts, windows, pulling, pull.one);
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    run.tally.windows.failed = pull.failed();
    run.tally.failures.push(...error.refusals, error.last);
    for (const { line } of error.refusals) run.log.error(line);
    run.log.error(`given up after ${error.inARow} failures in a row; the last one: ${error.last.line}`);
  }
}
