import { setImmediate } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Run } from '../job/run/run.ts';
import type { WindowTask } from '../job/windows/sync-window.ts';
import type { WindowExecutor } from '../job/windows/sync-windows.ts';
import { Failure } from '../model/errors.ts';
import { windowSubject } from '../model/window.ts';
import { pause } from '../support/clock.ts';
import { asTyped } from '../support/commands.ts';
import { formatDuration } from '../support/english.ts';
import type { Logger } from '../support/logger.ts';
import { windowsQueue } from './boss.ts';
import { type EndedJob, enqueue, findEnded, isAnyWorkerActive, type JobOutput } from './window-jobs.ts';

/** Keeps many workers busy until the next poll, but the queue small and a stop quick. */
const maxConcurrent = 4_000;
/** A few workers don't reach this many by chance. */
const maxErrorsInARow = 200;
const maxPerInsert = 1_000;
const pollEveryMs = 500;

/** Time without an active worker before a warning, and before the run ends. */
export type WorkerLimits = { readonly warnMs: number; readonly giveUpMs: number };

const defaultWorkerLimits: WorkerLimits = { warnMs: 30_000, giveUpMs: 600_000 };

type OpenWindow = {
  readonly task: WindowTask;
  readonly run: Run;
  readonly result: PromiseWithResolvers<Failure | null>;
  jobId: string | null;
  /** False if another run inserted the job. */
  isOwn: boolean;
};

/** Creates an executor that puts each window into the queue and waits until a worker has synced it. */
export function workerExecutor(boss: PgBoss, limits: WorkerLimits = defaultWorkerLimits): WindowExecutor {
  const open = new Set<OpenWindow>();
  let following = false;

  async function sync(run: Run, task: WindowTask): Promise<Failure | null> {
    const window: OpenWindow = {
      task,
      run,
      result: Promise.withResolvers(),
      jobId: null,
      isOwn: false,
    };
    open.add(window);
    if (!following) void follow(run);
    return await window.result.promise;
  }

  async function follow({ signal, log }: Run): Promise<void> {
    following = true;
    const checkActivity = createActivityCheck(boss, log, limits);
    try {
      // Lets every sync() of this tick enqueue first.
      await setImmediate();
      while (open.size > 0) {
        await enqueueOpen();
        await pause(pollEveryMs, signal);
        const windows = new Map([...open].map((window) => [window.jobId, window]));
        const ended = await findEnded(boss, jobIdsOf([...open]));
        for (const job of ended) settle(windows.get(job.id)!, job);
        await checkActivity(ended.length > 0);
        // Ended windows make room for others: lets their sync() enqueue now.
        await setImmediate();
      }
    } catch (error) {
      await withdraw();
      for (const { result } of open) result.reject(signal.aborted ? signal.reason : error);
      open.clear();
    }
    following = false;
  }

  async function enqueueOpen(): Promise<void> {
    const waiting = [...open].filter(({ jobId }) => jobId === null);
    for (let from = 0; from < waiting.length; from += maxPerInsert) {
      const some = waiting.slice(from, from + maxPerInsert);
      const jobs = some.map(({ run, task }) => ({ run: run.id, runDate: run.runDate, task }));
      for (const [index, { id, own }] of (await enqueue(boss, jobs)).entries()) {
        // Null if another run's job for the window has just ended: the next poll inserts this one.
        some[index]!.jobId = id;
        some[index]!.isOwn = own;
      }
    }
  }

  function settle(window: OpenWindow, job: EndedJob): void {
    // Somebody deleted the job: it goes into the queue again.
    if (job.state === null) {
      window.jobId = null;
      return;
    }
    open.delete(window);
    if (job.state !== 'completed') {
      window.result.resolve(unfinished(window.task, job));
      return;
    }
    const { failure, counts } = job.output as JobOutput;
    addCounts(window.run, counts);
    window.result.resolve(failure && new Failure(failure.code, failure.detail, failure));
  }

  /** Deletes this run's own jobs. A worker finishes a job that it has started, but nobody waits for the result. */
  async function withdraw(): Promise<void> {
    const own = jobIdsOf([...open].filter(({ isOwn }) => isOwn));
    if (own.length > 0) await boss.deleteJob(windowsQueue, own).catch(() => {});
  }

  return {
    sync,
    maxConcurrent,
    maxErrorsInARow,
  };
}

/**
 * Creates a check for active workers, called at each poll with whether a window has ended. It logs a warning after
 * `warnMs` without one, and throws a Failure after `giveUpMs`. A worker counts as active for as long as a window takes.
 */
function createActivityCheck(boss: PgBoss, log: Logger, { warnMs, giveUpMs }: WorkerLimits) {
  let activeAt = performance.now();
  let checkedAt = activeAt;
  let warned = false;
  return async (ended: boolean): Promise<void> => {
    if (!ended && performance.now() - Math.max(activeAt, checkedAt) < warnMs / 3) return;
    checkedAt = performance.now();
    if (ended || (await isAnyWorkerActive(boss))) {
      if (warned) log.info('a worker is active');
      warned = false;
      activeAt = performance.now();
      return;
    }
    const silentMs = performance.now() - activeAt;
    const waited = `no worker has taken a window for ${formatDuration(silentMs)}`;
    if (silentMs >= giveUpMs)
      throw new Failure('NO_WORKER', waited, {
        advice: `start one with ${asTyped('worker')}, then run again; loaded windows stay loaded`,
      });
    if (silentMs < warnMs || warned) return;
    warned = true;
    log.warn(`${waited}: start one with ${asTyped('worker')}`);
  };
}

const jobIdsOf = (windows: readonly OpenWindow[]) => windows.flatMap(({ jobId }) => jobId ?? []);

function unfinished({ account, day }: WindowTask, { state, output }: EndedJob): Failure {
  // pg-boss keeps the error of a worker, or nothing of one that died.
  const { message = 'the worker ended' } = (output ?? {}) as { message?: string };
  const reason = state === 'cancelled' ? 'cancelled in the queue' : message;
  return new Failure('WINDOW_UNFINISHED', `no worker could finish it (${reason.slice(0, 200)})`, {
    subject: windowSubject(account.name, day),
  });
}

/** Adds what a worker counted to the counts of the run. */
function addCounts({ stats }: Run, { windows, rows, rejects }: JobOutput['counts']): void {
  const add = <Name extends string>(to: Record<Name, number>, counts: Readonly<Record<Name, number>>) => {
    for (const name in counts) to[name] += counts[name];
  };
  add(stats.windows, windows);
  add(stats.rows, rows);
  stats.rejects += rejects;
}
