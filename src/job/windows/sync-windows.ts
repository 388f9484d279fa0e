import type { Config } from '../../config/config.ts';
import { isRetryable } from '../../planning/retries.ts';
import { eachConcurrently } from '../../support/concurrency.ts';
import type { Run } from '../run/run.ts';
import { reportResult } from './report-result.ts';
import { type SyncContext, syncWindow } from './sync-window.ts';
import type { FailedWindow, WindowResult, WindowTask } from './window-result.ts';

/** What the windows of a run need of it. Once its signal is aborted, no further window is synced. */
export type WindowsContext = SyncContext & Pick<Run, 'config' | 'signal' | 'stats' | 'log'>;

type ServiceLimits = Pick<Config['service'], 'concurrency'>;

/** Who syncs the windows of a run. */
export type WindowExecutor = {
  /** Syncs a window for this run. Rejects with an error that ends the run, or with the reason of the run's signal. */
  sync(run: SyncContext & Pick<Run, 'signal' | 'log'>, task: WindowTask): Promise<WindowResult>;
  maxConcurrent(limits: ServiceLimits): number;
  /** That many errors in a row mean that the service is down. */
  maxErrorsInARow(limits: ServiceLimits): number;
};

/** This process alone. */
export const localExecutor: WindowExecutor = {
  sync: syncWindow,
  maxConcurrent: ({ concurrency }) => concurrency,
  maxErrorsInARow: ({ concurrency }) => concurrency * 2,
};

/**
 * Syncs the windows, reports each result, and gives those that failed: a retryable error gets a second attempt at
 * the end.
 *
 * @param onResult called with the result of each attempt
 */
export async function syncWindows(
  run: WindowsContext,
  tasks: readonly WindowTask[],
  executor: WindowExecutor,
  onResult: (task: WindowTask, result: WindowResult) => void,
): Promise<FailedWindow[]> {
  const attempt = async (some: readonly WindowTask[]) => {
    const failed: FailedWindow[] = [];
    await eachConcurrently(some, executor.maxConcurrent(run.config.service), run.signal, async (task) => {
      const result = await executor.sync(run, task);
      if (result.error !== null) failed.push({ task, error: result.error });
      reportResult(run, task, result);
      onResult(task, result);
    });
    return failed;
  };
  const failed = await attempt(tasks);
  const again = failed.filter(({ error }) => isRetryable(error.code));
  const final = failed.filter(({ error }) => !isRetryable(error.code));
  return [...final, ...(await attempt(again.map(({ task }) => task)))];
}
