import type { Job, JobResult, PgBoss } from 'pg-boss';
import type { AppContext } from '../job/run/app-context.ts';
import { syncWindow } from '../job/windows/sync-window.ts';
import { failedResult, type WindowResult } from '../job/windows/window-result.ts';
import { Failure } from '../model/failure.ts';
import { aborted } from '../support/waiting.ts';
import { abortedLater } from '../support/waiting.ts';
import { warehouseFailure } from '../warehouse/failures.ts';
import { windowsQueue } from './boss.ts';
import { createClients } from './clients-of-runs.ts';
import { toOutput, type WindowJob } from './window-jobs.ts';
import { createWorkLog } from './work-log.ts';

/** How long what is in flight may take once the worker is told to end. */
const patienceMs = 5_000;

/** Pulls windows from the queue until it is told to end: then no further one, and what it hasn't begun goes back. */
export async function workWindows(app: AppContext, boss: PgBoss, signal: AbortSignal): Promise<void> {
  const { concurrency } = app.config.service;
  const clients = createClients(app, abortedLater(signal, patienceMs));
  const done = createWorkLog(app.log);

  async function one({ id, data }: Job<WindowJob>): Promise<JobResult> {
    if (signal.aborted) return { id, status: 'failed', output: { message: 'handed back' } };
    const result = await settled(data);
    done.count(result.status);
    return { id, ...result };
  }

  async function settled(job: WindowJob): Promise<Omit<JobResult, 'id'>> {
    try {
      return { status: 'completed', output: toOutput(await syncJob(job)) };
    } catch (error) {
      const failure = warehouseFailure(error);
      const message = failure?.message ?? app.redact(String(error));
      if (failure !== null || signal.aborted) return { status: 'failed', output: { message } };
      // A fault of ours is one at each try.
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

  // Two hands: while one waits for the last of its windows, the other is full. The rate limiter holds both to CONCURRENCY.
  const hands = { batchSize: Math.max(2, concurrency), localConcurrency: 2, ...ways } as const;
  await boss.work<WindowJob, unknown, typeof hands>(windowsQueue, hands, (jobs) =>
    Promise.all(jobs.map(one)),
  );
  app.log.info(`waiting for windows, ${concurrency} requests at once`);
  await aborted(signal);
  await boss.stop({ graceful: true, timeout: patienceMs + 1_000, close: false });
  done.end();
}

const ways = { burstWhenBatchFull: true, perJobResults: true, pollingIntervalSeconds: 0.5 } as const;

function unknownAccount(account: string): Failure {
  return new Failure(
    'configuration',
    `account ${account}: the worker that got its window has no such account`,
    'give all workers the SIDTOKEN and ACCOUNT_NAME, or the ACCOUNTS_FILE, of the run',
  );
}
