import type { RunStep } from '../../model/run.ts';
import { msSince } from '../../support/clock.ts';
import { formatElapsed } from '../../support/english.ts';
import type { Run } from './run.ts';
import { nonzero, type RunStats } from './run-stats.ts';

/** Does one step of a run. Its time goes to `etl.runs`, and what it did to the log. */
export async function inStep<T>(run: Run, step: RunStep, work: () => Promise<T>): Promise<T> {
  run.signal.throwIfAborted();
  const began = performance.now();
  const before = countsOf(run.stats)[step];
  try {
    return await work();
  } finally {
    const ms = msSince(began);
    const earlier = run.stats.steps.find((each) => each.step === step);
    if (earlier === undefined) run.stats.steps.push({ step, ms });
    else earlier.ms += ms;
    // A step may come twice: mail of earlier runs, then that of this one.
    const did = nonzero(
      countsOf(run.stats)[step].map(([count, ...words], index) => [count - before[index]![0], ...words]),
    );
    const fields = {
      step,
      ms,
    };
    if (did.length > 0) run.log.info(fields, `${step}: ${did.join(', ')}, in ${formatElapsed(ms)}`);
    else run.log.debug(fields, `${step}: nothing to do`);
  }
}

type Counts = Parameters<typeof nonzero>[0];

/** The counts of each step so far, for its log line. */
function countsOf({
  clients,
  windows,
  rows,
  digests,
  deliveries,
  alerts,
}: RunStats): Record<RunStep, Counts> {
  return {
    clients: [
      [clients.pages, 'walked', 'page'],
      [clients.listed, 'listed', 'client'],
      [clients.appeared, 'new'],
      [clients.changed, 'changed'],
      [clients.absent, 'absent'],
    ],
    windows: [
      [windows.loaded, 'loaded', 'day'],
      [windows.healed, 'healed'],
      [windows.provisional, 'provisional'],
      [windows.held, 'held'],
      [windows.failed, 'failed'],
      [rows.appeared + rows.updated + rows.unchanged, 'listed', 'campaign'],
      [rows.restated, 'restated'],
      [rows.withdrawn, 'withdrawn'],
    ],
    digests: [
      [digests.built, 'built'],
      [digests.corrected, 'corrected'],
      [digests.skipped, 'skipped'],
    ],
    mail: [
      [deliveries.sent, 'sent'],
      [deliveries.written, 'written'],
      [deliveries.failed, 'failed'],
      [deliveries.given_up, 'given up'],
      [deliveries.unknown, 'of unknown arrival'],
    ],
    archive: [],
    alerts: [
      [alerts.sent, 'sent'],
      [alerts.failed, 'failed'],
    ],
  };
}
