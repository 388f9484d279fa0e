import type { NightProgress, NightStep, OnNightProgress } from '../../model/progress.ts';
import { msSince } from '../../support/clock.ts';
import type { Run } from './run.ts';
import { countsOf } from './run-stats.ts';

const nothingYet: NightProgress = {
  ...{ step: 'clients', share: null, pages: 0, windows: 0, windowsDue: null, windowsFailed: 0 },
  ...{ rows: 0, mails: 0, mailsOpen: null },
};

/** For the steps of a run: each tells its news, and whoever watches is told all that is known. */
export function reporter(onProgress: OnNightProgress): Run['report'] {
  let known = nothingYet;
  return (news) => {
    known = { ...known, ...news };
    onProgress(known);
  };
}

/** One step of a night: how long it took, and what it did, goes to the log and, in short, to `etl.runs`. */
export async function inStep<T>(
  run: Pick<Run, 'signal' | 'report' | 'stats' | 'log'>,
  step: NightStep,
  work: () => Promise<T>,
): Promise<T> {
  run.signal.throwIfAborted();
  const began = performance.now();
  run.report({ step, share: null });
  try {
    return await work();
  } finally {
    const ms = msSince(began);
    run.stats.steps.push({ step, ms });
    run.log.info({ step, ms, ...countsOf(run.stats, step) }, `${step} took ${(ms / 1_000).toFixed(1)} s`);
  }
}
