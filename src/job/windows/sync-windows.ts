import { type Failure, type FailureKind, isOfOne } from '../../model/failure.ts';
import type { NightProgress } from '../../model/progress.ts';
import type { Window } from '../../model/window.ts';
import { eachConcurrently } from '../../support/concurrency.ts';
import { recordFailure } from '../../warehouse/load/windows.ts';
import type { Run } from '../run/run.ts';
import { told } from '../run/run-stats.ts';
import type { KnownAccount } from '../run/select-accounts.ts';
import type { WindowExecutor } from './executor.ts';
import { reportResult } from './report-result.ts';
import type { WindowTask } from './sync-window.ts';

/** What the service said may be another thing in a minute. */
const mayPass: ReadonlySet<FailureKind> = new Set(['service unavailable', 'answer not understood']);

type Missed = { readonly pull: WindowTask; readonly failure: Failure };

/** Pulls the windows, each by `pull`; what failed in a way that may pass is tried once more at the end. */
export async function syncWindows(
  run: Run,
  accounts: readonly KnownAccount[],
  windows: readonly Window[],
  executor: WindowExecutor,
  pull: (run: Run, pull: WindowTask) => Promise<void> = syncAndReport(executor),
): Promise<void> {
  const byName = new Map(accounts.map((account) => [account.name, account]));
  const asked = { accepted: false, missingOnly: false };
  const tasks = windows.map(({ account, day }) => ({ account: byName.get(account)!, day, ...asked }));
  const atOnce = executor.atOnce(run);
  let done = 0;
  const ended = () => run.report(progressOf(run, ++done, tasks.length));
  const missed = await syncAll(run, tasks, atOnce, pull, ended);
  const passing = missed.filter(({ failure }) => mayPass.has(failure.kind));
  const missedAgain = await syncAll(
    run,
    passing.map((miss) => miss.pull),
    atOnce,
    pull,
    ended,
  );
  for (const miss of [...missed.filter((miss) => !passing.includes(miss)), ...missedAgain]) {
    await recordMiss(run, miss);
    ended();
  }
}

/** One window, with what became of it told to the run. */
export function syncAndReport(executor: WindowExecutor) {
  return async (run: Run, pull: WindowTask): Promise<void> => {
    reportResult(run, pull, await executor.pull(run, pull));
  };
}

function progressOf({ stats }: Run, windows: number, windowsDue: number): Partial<NightProgress> {
  const { appeared, updated, unchanged } = stats.rows;
  const counts = { windows, windowsDue, windowsFailed: stats.windows.failed };
  return { ...counts, share: windows / windowsDue, rows: appeared + updated + unchanged };
}

async function syncAll(
  run: Run,
  tasks: readonly WindowTask[],
  atOnce: number,
  syncOne: (run: Run, pull: WindowTask) => Promise<void>,
  onEnded: () => void,
): Promise<Missed[]> {
  const missed: Missed[] = [];
  await eachConcurrently(tasks, atOnce, run.signal, async (pull) => {
    try {
      await syncOne(run, pull);
      onEnded();
    } catch (error) {
      if (!isOfOne(error)) throw error;
      missed.push({ pull, failure: error });
    }
  });
  return missed;
}

async function recordMiss(run: Run, { pull: { account, day }, failure }: Missed): Promise<void> {
  run.stats.windows.failed++;
  run.stats.failures.push(told(failure, account.name, day));
  await recordFailure(run.warehouse, { accountId: account.id, day }, failure.line);
  run.log.error({ account: account.name, day }, `${day} ${failure.line}`);
}
