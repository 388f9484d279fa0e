import type { OnRunProgress, RunProgress, RunStep } from '../../model/run.ts';
import { msSince } from '../../support/clock.ts';
import { formatElapsed } from '../../support/english.ts';
import type { Run } from './run.ts';
import type { RunStats } from './run-stats.ts';

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

/** Takes the progress of a step, and hands on all that is known of the run. */
export function reporter(onProgress: OnRunProgress): Run['report'] {
  let known = nothingYet;
  return (progress) => {
    known = { ...known, ...progress };
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
    run.log.info({ step, ms, ...countsOf(run.stats, step) }, `${step} took ${formatElapsed(ms)}`);
  }
}

/** What a step counted, for its line of the log. */
function countsOf(stats: RunStats, step: RunStep): object {
  const { clients, windows, rows, digests, deliveries, alerts } = stats;
  const counts: Record<RunStep, object> = {
    clients: { clients },
    windows: { windows, rows },
    digests: { digests },
    mail: { deliveries },
    archive: {},
    alerts: { alerts },
  };
  return counts[step];
}
