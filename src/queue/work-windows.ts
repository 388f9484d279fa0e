import type { Job, JobResult, PgBoss } from 'pg-boss';
import type { AppContext } from '../job/run/app-context.ts';
import { syncWindow } from '../job/windows/sync-window.ts';
import { failedResult, type WindowResult } from '../job/windows/window-result.ts';
import { Failure } from '../model/failure.ts';
import { aborted, abortedLater } from '../support/clock.ts';
import { warehouseFailure } from '../warehouse/failures.ts';
import { windowsQueue } from './boss.ts';
import { createClients } from './clients-of-runs.ts';
import { toOutput, type WindowJob } from './window-jobs.ts';
import { createWorkLog } from './work-log.ts';

/** How long windows in flight may take once the worker is interrupted. */
const stopTimeoutMs = 5_000;

/** Syncs windows of the queue until `signal` is aborted; what it hasn't begun then goes back to the queue. */
export async function workWindows(app: AppContext, boss: PgBoss, signal: AbortSignal): Promise<void> {
  const { concurrency } = app.config.service;
  const clients = createClients(app, abortedLater(signal, stopTimeoutMs));
  const workLog = createWorkLog(app.log);

  async function one({ id, data }: Job<WindowJob>): Promise<JobResult> {
    if (signal.aborted) return { id, status: 'failed', output: { message: 'handed back' } };
    const result = await settled(data);
    workLog.count(result.status);
    return { id, ...result };
  }

  async function settled(job: WindowJob): Promise<Omit<JobResult, 'id'>> {
    try {
      return { status: 'completed', output: toOutput(await syncJob(job)) };
    } catch (error) {
      const failure = warehouseFailure(error);
      const message = failure?.message ?? app.redact(String(error));
      if (failure !== null || signal.aborted) return { status: 'failed', output: { message } };
      // An internal error recurs at each attempt.
      app.log.error(`${job.task.day} ${job.task.account.name}: ${message}`);
      return { status: 'deadletter', output: { message } };
    }
  }

  /** The error of one window is its result: the run reports it, or attempts it again. */
  async function syncJob({ run, runDate, task }: WindowJob): Promise<WindowResult> {
    if (!app.config.accounts.some(({ name }) => name === task.account.name))
      return failedResult(unknownAccount(task.account.name), 0);
    return await syncWindow({ ...app, id: run, runDate, service: clients.of(run) }, task);
  }

  // Two batches: while one waits for its last window, the other is full. The service's limit holds both to CONCURRENCY.
  const options = { batchSize: Math.max(2, concurrency), localConcurrency: 2, ...polling } as const;
  await boss.work<WindowJob, unknown, typeof options>(windowsQueue, options, (jobs) =>
    Promise.all(jobs.map(one)),
  );
  app.log.info(`waiting for windows, ${concurrency} requests at once`);
  await aborted(signal);
  await boss.stop({ graceful: true, timeout: stopTimeoutMs + 1_000, close: false });
  workLog.end();
}

const polling = { burstWhenBatchFull: true, perJobResults: true, pollingIntervalSeconds: 0.5 } as const;

function unknownAccount(account: string): Failure {
  return new Failure(
    'configuration',
    `account ${account}: the worker that got its window has no such account`,
    'give all workers the SIDTOKEN and ACCOUNT_NAME, or the ACCOUNTS_FILE, of the run',
  );
}
