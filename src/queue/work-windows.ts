import type { Job, JobResult, PgBoss } from 'pg-boss';
import type { AppContext } from '../job/run/app-context.ts';
import { logFields } from '../job/run/failures.ts';
import type { Run } from '../job/run/run.ts';
import { createRunStats } from '../job/run/run-stats.ts';
import { readSigns } from '../job/run/signs.ts';
import { syncWindow } from '../job/windows/sync-window.ts';
import { Failure, lineOf } from '../model/errors.ts';
import { windowSubject } from '../model/window.ts';
import { aborted, delayedAbort } from '../support/clock.ts';
import { formatCountOf } from '../support/english.ts';
import type { Logger } from '../support/logger.ts';
import { warehouseFailure } from '../warehouse/failures.ts';
import { anchorDatabaseClock } from '../warehouse/ledger/runs.ts';
import { windowsQueue } from './boss.ts';
import type { JobOutput, WindowJob } from './window-jobs.ts';

/** Time for windows in flight after the worker is interrupted. */
const stopTimeoutMs = 5_000;

const logEveryMs = 10_000;

/** Contexts of runs that are kept; an older one is created again when needed. */
const maxRuns = 8;

const polling = {
  burstWhenBatchFull: true,
  perJobResults: true,
  pollingIntervalSeconds: 0.5,
} as const;

/** Syncs windows from the queue until `signal` is aborted; windows that haven't started go back to the queue. */
export async function workWindows(app: AppContext, boss: PgBoss, signal: AbortSignal): Promise<void> {
  const { concurrency } = app.config.service;
  const runOf = createRuns(app, signal);
  using progress = createProgressLog(app.log);

  async function work({ id, data }: Job<WindowJob>): Promise<JobResult> {
    if (signal.aborted) return { id, status: 'failed', output: { message: 'handed back' } };
    const result = await runJob(data);
    progress.count(result.status);
    return { id, ...result };
  }

  async function runJob(job: WindowJob): Promise<Omit<JobResult, 'id'>> {
    try {
      return { status: 'completed', output: await syncJob(job) };
    } catch (error) {
      const failure = warehouseFailure(error);
      const message = failure?.detail ?? app.redact(String(error));
      if (failure !== null || signal.aborted) return { status: 'failed', output: { message } };
      // Not retried: an internal error recurs.
      app.log.error(`${job.task.day} ${job.task.account.name}: ${message}`);
      return { status: 'deadletter', output: { message } };
    }
  }

  /** The run that inserted the job adds the counts to its own, and reports or retries the failure. */
  async function syncJob(job: WindowJob): Promise<JobOutput> {
    const { account, day } = job.task;
    const stats = createRunStats();
    const isKnown = app.config.accounts.some(({ name }) => name === account.name);
    const failure = isKnown
      ? await syncWindow({ ...(await runOf(job)), stats }, job.task)
      : new Failure('INVALID_CONFIGURATION', 'a worker lacks this account in its settings', {
          subject: windowSubject(account.name, day),
          advice: 'give all workers the same SIDTOKEN and ACCOUNT_NAME, or ACCOUNTS_FILE, as the run',
        });
    // Logged here, because the run gets only one line of it.
    if (failure?.code === 'INTERNAL')
      app.log.error(logFields(failure, { account: account.name, day }), lineOf(failure));
    const { windows, rows, rejects } = stats;
    return { failure: failure && { ...failure }, counts: { windows, rows, rejects } };
  }

  // While one batch waits for its last window, the other is full. The rate limiter holds both to CONCURRENCY requests.
  const options = { batchSize: Math.max(2, concurrency), localConcurrency: 2, ...polling } as const;
  await boss.work<WindowJob, unknown, typeof options>(windowsQueue, options, (jobs) =>
    Promise.all(jobs.map(work)),
  );
  app.log.info(`waiting for windows, ${concurrency} requests at once`);
  await aborted(signal);
  await boss.stop({ graceful: true, timeout: stopTimeoutMs + 1_000, close: false });
}

/** Creates a context for each run, which begins without memory of earlier ones. */
function createRuns(app: AppContext, signal: AbortSignal): (job: WindowJob) => Promise<Omit<Run, 'stats'>> {
  const runs = new Map<number, Promise<Omit<Run, 'stats'>>>();

  async function begin({ run: id, runDate }: WindowJob): Promise<Omit<Run, 'stats'>> {
    await app.compareClocks(app.warehouse);
    const signs = await readSigns(app.warehouse, app.config.service.baseUrl, runDate);
    return {
      ...app,
      log: app.log.child({ run: id }),
      id,
      runDate,
      databaseClock: await anchorDatabaseClock(app.warehouse),
      service: app.connect(delayedAbort(signal, stopTimeoutMs), id, { signs }),
      signs,
      signal,
      number: 1,
      retryUntil: null,
    };
  }

  return async (job) => {
    const run = runs.get(job.run) ?? begin(job);
    runs.set(job.run, run);
    if (runs.size > maxRuns) runs.delete(runs.keys().next().value!);
    try {
      return await run;
    } catch (error) {
      // The database was down: the next window of the run tries again.
      runs.delete(job.run);
      throw error;
    }
  };
}

/** Logs a worker's progress, one line every ten seconds if it worked. */
function createProgressLog(log: Logger) {
  let worked = 0;
  let failed = 0;

  function logWork(): void {
    if (worked === 0) return;
    log.info({ windows: worked, failed }, `${formatCountOf(worked, 'window')} done, ${failed} unfinished`);
    worked = 0;
    failed = 0;
  }

  const timer = setInterval(logWork, logEveryMs);
  return {
    count(status: JobResult['status']): void {
      worked++;
      if (status !== 'completed') failed++;
    },
    [Symbol.dispose](): void {
      clearInterval(timer);
      logWork();
    },
  };
}
