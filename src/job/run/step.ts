import type { RunStep } from '../../model/run.ts';
import { msSince } from '../../support/clock.ts';
import { formatElapsed } from '../../support/english.ts';
import type { Run } from './run.ts';
import type { RunStats } from './run-stats.ts';

/** Does one step of a run; its time and counts go to the log, its time to `etl.runs`. */
export async function inStep<T>(run: Run, step: RunStep, work: () => Promise<T>): Promise<T> {
  run.signal.throwIfAborted();
  const began = performance.now();
  try {
    return await work();
  } finally {
    const ms = msSince(began);
    run.stats.steps.push({ step, ms });
    run.log.info({ step, ms, ...countsOf(run.stats, step) }, `${step} took ${formatElapsed(ms)}`);
  }
}

/** The counts of a step, for its log line. */
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
