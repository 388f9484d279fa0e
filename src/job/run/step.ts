import type { OnRunProgress, RunProgress, RunStep } from '../../model/run.ts';
import { msSince } from '../../support/clock.ts';
import type { Run } from './run.ts';
import { countsOf } from './run-stats.ts';

const nothingYet: RunProgress = {
  step: 'clients',
  share: null,
  pages: 0,
  windows: 0,
  windowsDue: null,
  windowsFailed: 0,
  rows: 0,
  mails: 0,
  mailsOpen: null,
};

/** Takes a step's news, and hands on all that is known of the run. */
export function reporter(onProgress: OnRunProgress): Run['report'] {
  let known = nothingYet;
  return (news) => {
    known = { ...known, ...news };
    onProgress(known);
  };
}

/** Does one step of a run; its time and counts go to the log, its time to `etl.runs`. */
export async function inStep<T>(
  run: Pick<Run, 'signal' | 'report' | 'stats' | 'log'>,
  step: RunStep,
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
