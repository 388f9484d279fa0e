import { setImmediate as everythingRequested } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Run } from '../job/run/run.ts';
import type { WindowExecutor } from '../job/windows/sync-windows.ts';
import { failedResult, type WindowResult, type WindowTask } from '../job/windows/window-result.ts';
import { Failure } from '../model/failure.ts';
import { pause } from '../support/waiting.ts';
import { windowsQueue } from './boss.ts';
import { createSigns, defaultWorkerLimits, type WorkerLimits } from './signs.ts';
import { type EndedJob, enqueue, findEnded, fromOutput, type JobOutput } from './window-jobs.ts';

/** Enough for many workers until the next poll, and few enough for a small queue and a quick stop. */
const maxConcurrent = 4_000;
/** More errors in a row than a handful of workers has by chance. */
const maxErrorsInARow = 200;
const maxPerInsert = 1_000;
const pollEveryMs = 500;

type JobRun = Pick<Run, 'id' | 'runDate' | 'signal' | 'log'>;

/** A window whose result is waited for. */
type OpenWindow = {
  readonly task: WindowTask;
  readonly run: JobRun;
  readonly result: PromiseWithResolvers<WindowResult>;
};

/** Workers sync the windows: each is put into the queue, and its result waited for. */
export function workerExecutor(boss: PgBoss, limits: WorkerLimits = defaultWorkerLimits): WindowExecutor {
  const open = new Set<OpenWindow>();
  const jobs = new Map<string, OpenWindow>();
  const own = new Set<string>();
  let unsent: OpenWindow[] = [];
  let following = false;

  async function sync(run: JobRun, task: WindowTask): Promise<WindowResult> {
    const window: OpenWindow = {
      task,
      run,
      result: Promise.withResolvers(),
    };
    open.add(window);
    unsent.push(window);
    if (!following) void follow(run);
    return await window.result.promise;
  }

  /** As long as there is something to wait for. */
  async function follow({ signal, log }: JobRun): Promise<void> {
    following = true;
    const signs = createSigns(boss, log, limits);
    try {
      await everythingRequested();
      while (open.size > 0) {
        await enqueueUnsent();
        await pause(pollEveryMs, signal);
        const ended = await findEnded(boss, [...jobs.keys()]);
        for (const job of ended) settle(job);
        await signs.note(ended.length > 0);
        // What has ended makes room for further windows.
        await everythingRequested();
      }
    } catch (error) {
      await withdraw();
      for (const { result } of open) result.reject(signal.aborted ? signal.reason : error);
      open.clear();
    }
    following = false;
  }

  async function enqueueUnsent(): Promise<void> {
    const sent = unsent;
    unsent = [];
    for (let from = 0; from < sent.length; from += maxPerInsert) {
      const some = sent.slice(from, from + maxPerInsert);
      const enqueued = await enqueue(
        boss,
        some.map(({ run, task }) => ({ run: run.id, runDate: run.runDate, task })),
      );
      for (const [index, { id, own: isOwn }] of enqueued.entries()) {
        // Another job of that window has ended just now: the next poll inserts this one.
        if (id === null) unsent.push(some[index]!);
        else jobs.set(id, some[index]!);
        if (id !== null && isOwn) own.add(id);
      }
    }
  }

  function settle(job: EndedJob): void {
    const window = jobs.get(job.id)!;
    jobs.delete(job.id);
    own.delete(job.id);
    // Deleted by somebody: it goes into the queue again.
    if (job.state === null) {
      unsent.push(window);
      return;
    }
    open.delete(window);
    window.result.resolve(
      job.state === 'completed'
        ? fromOutput(job.output as JobOutput)
        : failedResult(unfinished(window.task, job), 0),
    );
  }

  /** Deletes its own jobs; a worker that has begun one ends it, and nobody waits for the result. */
  async function withdraw(): Promise<void> {
    if (own.size > 0) await boss.deleteJob(windowsQueue, [...own]).catch(() => {});
    own.clear();
    jobs.clear();
    unsent = [];
  }

  return {
    sync,
    maxConcurrent: () => maxConcurrent,
    maxErrorsInARow: () => maxErrorsInARow,
  };
}

function unfinished({ account, day }: WindowTask, { state, output }: EndedJob): Failure {
  const reason = state === 'cancelled' ? 'cancelled in the queue' : JSON.stringify(output);
  return new Failure(
    'unfinished',
    `account ${account.name}, campaigns of ${day}: no worker could finish it (${reason.slice(0, 200)})`,
    'look at the logs of the workers; the next run tries again',
  );
}
