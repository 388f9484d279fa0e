import { setImmediate } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Run } from '../job/run/run.ts';
import type { WindowResult, WindowTask } from '../job/windows/sync-window.ts';
import type { WindowExecutor } from '../job/windows/sync-windows.ts';
import { Failure } from '../model/errors.ts';
import { pause } from '../support/clock.ts';
import { windowsQueue } from './boss.ts';
import { type EndedJob, enqueue, findEnded, fromOutput, type JobOutput } from './window-jobs.ts';
import { createActivityCheck, defaultWorkerLimits, type WorkerLimits } from './worker-activity.ts';

/** Enough for many workers until the next poll, and few enough for a small queue and a quick stop. */
const maxConcurrent = 4_000;
/** More errors in a row than a handful of workers has by chance. */
const maxErrorsInARow = 200;
const maxPerInsert = 1_000;
const pollEveryMs = 500;

/** A window whose result is waited for. */
type OpenWindow = {
  readonly task: WindowTask;
  readonly run: Run;
  readonly result: PromiseWithResolvers<WindowResult>;
  /** Null where it has yet to be put into the queue. */
  jobId: string | null;
  /** Whether the job is this run's own, not that of another run for the same window. */
  isOwn: boolean;
};

/** Workers sync the windows: each is put into the queue, and its result waited for. */
export function workerExecutor(boss: PgBoss, limits: WorkerLimits = defaultWorkerLimits): WindowExecutor {
  const open = new Set<OpenWindow>();
  let following = false;

  async function sync(run: Run, task: WindowTask): Promise<WindowResult> {
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

  /** As long as there is something to wait for. */
  async function follow({ signal, log }: Run): Promise<void> {
    following = true;
    const checkActivity = createActivityCheck(boss, log, limits);
    try {
      // Lets every sync() of this tick join first.
      await setImmediate();
      while (open.size > 0) {
        await enqueueOpen();
        await pause(pollEveryMs, signal);
        const windows = new Map([...open].map((window) => [window.jobId, window]));
        const ended = await findEnded(boss, jobIdsOf([...open]));
        for (const job of ended) settle(windows.get(job.id)!, job);
        await checkActivity(ended.length > 0);
        // What has ended makes room for further windows, which join now.
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
        // Null where another job of that window has ended just now: the next poll inserts this one.
        some[index]!.jobId = id;
        some[index]!.isOwn = own;
      }
    }
  }

  function settle(window: OpenWindow, job: EndedJob): void {
    // Deleted by somebody: it goes into the queue again.
    if (job.state === null) {
      window.jobId = null;
      return;
    }
    open.delete(window);
    window.result.resolve(
      job.state === 'completed'
        ? fromOutput(job.output as JobOutput)
        : { outcome: 'failed', error: unfinished(window.task, job), rejects: 0 },
    );
  }

  /** Deletes its own jobs; a worker that has begun one ends it, and nobody waits for the result. */
  async function withdraw(): Promise<void> {
    const own = jobIdsOf([...open].filter(({ isOwn }) => isOwn));
    if (own.length > 0) await boss.deleteJob(windowsQueue, own).catch(() => {});
  }

  return {
    sync,
    maxConcurrent: () => maxConcurrent,
    maxErrorsInARow: () => maxErrorsInARow,
  };
}

const jobIdsOf = (windows: readonly OpenWindow[]) => windows.flatMap(({ jobId }) => jobId ?? []);

function unfinished({ account, day }: WindowTask, { state, output }: EndedJob): Failure {
  const reason = state === 'cancelled' ? 'cancelled in the queue' : JSON.stringify(output);
  return new Failure('WINDOW_UNFINISHED', `no worker could finish it (${reason.slice(0, 200)})`, {
    subject: `account ${account.name}, campaigns of ${day}`,
  });
}
