import type { RunProgress } from '../../model/run.ts';
import type { Run } from '../run/run.ts';
import type { RunStats } from '../run/run-stats.ts';
import type { WindowExecutor } from './executor.ts';
import { reportFailedWindow, reportResult } from './report-result.ts';
import { syncWindows } from './sync-windows.ts';
import type { WindowTask } from './window-result.ts';

/** Syncs the windows of a run; progress counts a window once it is loaded or has failed for good. */
export async function syncNightlyWindows(
  run: Run,
  tasks: readonly WindowTask[],
  executor: WindowExecutor,
): Promise<void> {
  let done = 0;
  const reportProgress = () => run.report(progressOf(run.stats, ++done, tasks.length));
  const failed = await syncWindows({
    tasks,
    concurrency: executor.maxConcurrent(run.config.service),
    signal: run.signal,
    sync: (task) => executor.sync(run, task),
    onResult(task, result) {
      reportResult(run, task, result);
      if (result.error === null) reportProgress();
    },
  });
  for (const each of failed) {
    await reportFailedWindow(run, each);
    reportProgress();
  }
}

function progressOf({ rows, windows }: RunStats, done: number, windowsDue: number): Partial<RunProgress> {
  return {
    windows: done,
    windowsDue,
    windowsFailed: windows.failed,
    share: done / windowsDue,
    rows: rows.appeared + rows.updated + rows.unchanged,
  };
}
