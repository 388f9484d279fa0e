import type { OnProgress } from '../../model/run.ts';
import { windowKey } from '../../planning/windows-due.ts';
import { reportedError } from '../run/run-stats.ts';
import { reportFailedWindow } from './report-result.ts';
import { syncWindows, type WindowExecutor, type WindowsContext } from './sync-windows.ts';
import type { FailedWindow, WindowResult, WindowTask } from './window-result.ts';

/**
 * Syncs the windows of a backfill that are still missing, until so many in a row fail that the service must be down:
 * each day of a year would fail with the same error.
 */
export async function syncBackfillWindows(
  run: WindowsContext,
  tasks: readonly WindowTask[],
  executor: WindowExecutor,
  onProgress: OnProgress,
): Promise<void> {
  const maxInARow = executor.maxErrorsInARow(run.config.service);
  const givingUp = new AbortController();
  const signal = AbortSignal.any([run.signal, givingUp.signal]);
  const ended = new Set<string>();
  const failed = new Map<string, FailedWindow>();
  let inARow = 0;

  function follow(task: WindowTask, { error }: WindowResult): void {
    const key = windowKey({ account: task.account.name, day: task.day });
    ended.add(key);
    if (error === null) failed.delete(key);
    else failed.set(key, { task, error });
    onProgress({ total: tasks.length, done: ended.size, failed: failed.size });
    if (error === null) inARow = 0;
    // The next account's token may be good.
    else if (error.code !== 'TOKEN_REFUSED' && ++inARow === maxInARow) givingUp.abort({ task, error });
  }

  try {
    await syncWindows({ ...run, signal }, tasks, executor, follow);
    await reportFailed(run, [...failed.values()]);
  } catch (error) {
    if (error !== givingUp.signal.reason) throw error;
    reportGivenUp(run, [...failed.values()], maxInARow, error as FailedWindow);
  }
}

/** A refused token is reported once an account: its other windows are only counted. */
async function reportFailed(run: WindowsContext, failed: readonly FailedWindow[]): Promise<void> {
  const refused = firstRefusals(failed);
  for (const window of failed) {
    if (isRefusal(window) && !refused.includes(window)) run.stats.windows.failed++;
    else await reportFailedWindow(run, window);
  }
}

function reportGivenUp(
  { stats, log }: WindowsContext,
  failed: readonly FailedWindow[],
  inARow: number,
  last: FailedWindow,
): void {
  stats.windows.failed = failed.length;
  const refused = firstRefusals(failed);
  for (const { task, error } of [...refused, last])
    stats.failures.push(reportedError(error, { step: 'windows', account: task.account.name, day: task.day }));
  for (const { error } of refused) log.error(error.line);
  log.error(`given up after ${inARow} failures in a row; the last one: ${last.error.line}`);
}

const isRefusal = ({ error }: FailedWindow) => error.code === 'TOKEN_REFUSED';

/** Of each account whose token is refused, the window that failed first. */
function firstRefusals(failed: readonly FailedWindow[]): FailedWindow[] {
  const byAccount = Map.groupBy(failed.filter(isRefusal), ({ task }) => task.account.name);
  return [...byAccount.values()].map(([first]) => first!);
}
