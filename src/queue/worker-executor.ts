import { setImmediate as everythingAsked } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';
import type { Run } from '../job/run/run.ts';
import type { WindowExecutor } from '../job/windows/executor.ts';
import type { WindowResult, WindowTask } from '../job/windows/sync-window.ts';
import { Failure } from '../model/failure.ts';
import { pause } from '../support/waiting.ts';
import { windowsQueue } from './boss.ts';
import { createSigns, type Patience, usualPatience } from './signs.ts';
import { type EndedJob, enqueue, findEnded, type Outcome } from './window-jobs.ts';

/** Enough for many workers until the next look, and few enough that the queue stays small and a stop is quick. */
const maxConcurrent = 4_000;
/** As many failures in a row as no handful of workers brings by chance. */
const maxInARow = 200;
const inOneInsert = 1_000;
const lookEveryMs = 500;

type Asked = {
  readonly pull: WindowTask;
  readonly run: Run;
  readonly outcome: PromiseWithResolvers<Outcome>;
};

/** Workers pull the windows: they are put into the queue, and what becomes of each is waited for. */
export function workerExecutor(boss: PgBoss, patience: Patience = usualPatience): WindowExecutor {
  const open = new Set<Asked>();
  const jobs = new Map<string, Asked>();
  const own = new Set<string>();
  let unsent: Asked[] = [];
  let following = false;

  async function pull(run: Run, window: WindowTask): Promise<WindowResult> {
    const asked: Asked = { pull: window, run, outcome: Promise.withResolvers() };
    open.add(asked);
    unsent.push(asked);
    if (!following) void follow(run);
    const outcome = await asked.outcome.promise;
    if ('result' in outcome) return outcome.result;
    throw new Failure(outcome.failure.kind, outcome.failure.message, outcome.failure.advice);
  }

  /** As long as there is something to wait for. */
  async function follow({ signal, log }: Run): Promise<void> {
    following = true;
    const signs = createSigns(boss, log, patience);
    try {
      await everythingAsked();
      while (open.size > 0) {
        await sendOff();
        await pause(lookEveryMs, signal);
        const ended = await findEnded(boss, [...jobs.keys()]);
        for (const job of ended) settle(job);
        await signs.note(ended.length > 0);
        // What has ended makes room for what is asked next.
        await everythingAsked();
      }
    } catch (error) {
      await withdraw();
      for (const asked of open) asked.outcome.reject(signal.aborted ? signal.reason : error);
      open.clear();
    }
    following = false;
  }

  async function sendOff(): Promise<void> {
    const sent = unsent;
    unsent = [];
    for (let from = 0; from < sent.length; from += inOneInsert) {
      const some = sent.slice(from, from + inOneInsert);
      const entered = await enqueue(
        boss,
        some.map(({ run, pull }) => ({ run: run.id, runDate: run.runDate, pull })),
      );
      for (const [index, { id, own: isOwn }] of entered.entries()) {
        // Another job of that window has ended just now: the next look puts this one in.
        if (id === null) unsent.push(some[index]!);
        else jobs.set(id, some[index]!);
        if (id !== null && isOwn) own.add(id);
      }
    }
  }

  function settle(job: EndedJob): void {
    const asked = jobs.get(job.id)!;
    jobs.delete(job.id);
    own.delete(job.id);
    // Cleared away by somebody: it is asked for again.
    if (job.state === null) return void unsent.push(asked);
    open.delete(asked);
    if (job.state === 'completed') asked.outcome.resolve(job.output as Outcome);
    else asked.outcome.reject(unfinished(asked.pull, job));
  }

  /** Leaves nothing of its own in the queue; a worker that has begun one ends it, and nobody waits for it. */
  async function withdraw(): Promise<void> {
    if (own.size > 0) await boss.deleteJob(windowsQueue, [...own]).catch(() => {});
    own.clear();
    jobs.clear();
    unsent = [];
  }

  return { pull, atOnce: () => maxConcurrent, hopeless: () => maxInARow };
}

function unfinished({ account, day }: WindowTask, { state, output }: EndedJob): Failure {
  const said = state === 'cancelled' ? 'cancelled in the queue' : JSON.stringify(output);
  return new Failure(
    'unfinished',
    `account ${account.name}, campaigns of ${day}: no worker could finish it (${said.slice(0, 200)})`,
    'look at the logs of the workers; the next run tries again',
  );
}
