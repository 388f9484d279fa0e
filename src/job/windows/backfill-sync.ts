import type { OnProgress } from '../../model/run.ts';
import { windowKey } from '../../planning/windows-due.ts';
import type { Run } from '../run/run.ts';
import { type ReportedError, reportedError } from '../run/run-stats.ts';
import type { WindowExecutor } from './executor.ts';
import { reportFailedWindow, reportResult } from './report-result.ts';
import { type FailedWindow, syncWindows } from './sync-windows.ts';
import { failedResult, type WindowResult, type WindowTask } from './window-result.ts';

/** The reason to stop where the service is down: each day of a year would fail with the same error. */
class GivenUp extends Error {
  readonly inARow: number;
  readonly last: FailedWindow;

  constructor(inARow: number, last: FailedWindow) {
    super(last.error.line);
    this.inARow = inARow;
    this.last = last;
  }
}

/**
 * Syncs the windows of a backfill that are still missing, until so many in a row fail that the service must be down.
 *
 * @param stop takes no further window once it is aborted
 */
export async function syncBackfillWindows(
  run: Run,
  tasks: readonly WindowTask[],
  executor: WindowExecutor,
  stop: AbortSignal,
  onProgress: OnProgress,
): Promise<void> {
  const results = followResults(tasks.length, executor.maxErrorsInARow(run.config.service), onProgress);
  const signal = AbortSignal.any([stop, results.givenUp]);
  const stoppable = { ...run, signal };
  try {
    const failed = await syncWindows({
      tasks,
      signal,
      concurrency: executor.maxConcurrent(run.config.service),
      async sync(task) {
        const refusal = results.refusals.get(task.account.name);
        return refusal ? failedResult(refusal.error, 0) : await executor.sync(stoppable, task);
      },
      onResult(task, result) {
        reportResult(run, task, result);
        results.add(task, result);
      },
    });
    await reportFailed(run, failed);
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    run.stats.windows.failed = results.failed();
    reportGivenUp(run, error, [...results.refusals.values()]);
  }
}

/** What the results so far say of the whole backfill. */
function followResults(total: number, maxInARow: number, onProgress: OnProgress) {
  const givingUp = new AbortController();
  const ended = new Set<string>();
  const failed = new Set<string>();
  const refusals = new Map<string, FailedWindow>();
  let inARow = 0;

  function add(task: WindowTask, { error }: WindowResult): void {
    const key = windowKey({ account: task.account.name, day: task.day });
    ended.add(key);
    if (error === null) failed.delete(key);
    else failed.add(key);
    onProgress({ total, done: ended.size, failed: failed.size });
    if (error === null) inARow = 0;
    else countError({ task, error });
  }

  function countError(window: FailedWindow): void {
    const account = window.task.account.name;
    if (window.error.kind !== 'token refused') {
      inARow++;
      if (inARow >= maxInARow) givingUp.abort(new GivenUp(inARow, window));
    } else if (!refusals.has(account)) refusals.set(account, window);
  }

  return {
    add,
    failed: () => failed.size,
    /** The first window of each account whose token is refused: its other windows need no request. */
    refusals: refusals as ReadonlyMap<string, FailedWindow>,
    /** Aborted with a GivenUp. */
    givenUp: givingUp.signal,
  };
}

/** A refused token is reported once an account: its other windows are only counted. */
async function reportFailed(
  run: Pick<Run, 'warehouse' | 'stats' | 'log'>,
  failed: readonly FailedWindow[],
): Promise<void> {
  const refused = new Set<string>();
  for (const window of failed) {
    const account = window.task.account.name;
    if (refused.has(account) && window.error.kind === 'token refused') run.stats.windows.failed++;
    else await reportFailedWindow(run, window);
    if (window.error.kind === 'token refused') refused.add(account);
  }
}

function reportGivenUp(
  { stats, log }: Pick<Run, 'stats' | 'log'>,
  { inARow, last }: GivenUp,
  refusals: readonly FailedWindow[],
): void {
  const errors = refusals.map(toReported);
  const lastError = toReported(last);
  stats.failures.push(...errors, lastError);
  for (const { line } of errors) log.error(line);
  log.error(`given up after ${inARow} failures in a row; the last one: ${lastError.line}`);
}

function toReported({ task, error }: FailedWindow): ReportedError {
  return reportedError(error, task.account.name, task.day);
}
