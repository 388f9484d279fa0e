import type { Failure, FailureKind } from '../../model/failure.ts';
import { eachConcurrently } from '../../support/concurrency.ts';
import type { WindowResult, WindowTask } from './window-result.ts';

/** Errors that may be gone in a minute. */
const retryable: ReadonlySet<FailureKind> = new Set(['service unavailable', 'answer not understood']);

export type FailedWindow = { readonly task: WindowTask; readonly error: Failure };

export type SyncWindowsInput = {
  readonly tasks: readonly WindowTask[];
  readonly concurrency: number;
  /** Aborted, no further window is synced. */
  readonly signal: AbortSignal;
  readonly sync: (task: WindowTask) => Promise<WindowResult>;
  /** Called with the result of each attempt. */
  readonly onResult: (task: WindowTask, result: WindowResult) => void;
};

/** Syncs the windows, and gives those that failed: a retryable error gets a second attempt at the end. */
export async function syncWindows(input: SyncWindowsInput): Promise<FailedWindow[]> {
  const failed = await attemptEach(input, input.tasks);
  const { again = [], final = [] } = Object.groupBy(failed, ({ error }) =>
    retryable.has(error.kind) ? 'again' : 'final',
  );
  const secondTasks = again.map(({ task }) => task);
  return [...final, ...(await attemptEach(input, secondTasks))];
}

async function attemptEach(
  { concurrency, signal, sync, onResult }: SyncWindowsInput,
  tasks: readonly WindowTask[],
): Promise<FailedWindow[]> {
  const failed: FailedWindow[] = [];
  await eachConcurrently(tasks, concurrency, signal, async (task) => {
    const result = await sync(task);
    if (result.error !== null) failed.push({ task, error: result.error });
    onResult(task, result);
  });
  return failed;
}
