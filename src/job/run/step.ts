import type { RunStep } from '../../model/run.ts';
import { msSince } from '../../support/clock.ts';
import { formatElapsed } from '../../support/english.ts';
import type { Run } from './run.ts';
import { nonzero, type RunStats } from './run-stats.ts';

/** Does one step of a run. Its time goes to `etl.runs`, and what it did to the log. */
export async function inStep<T>(run: Run, step: RunStep, work: () => Promise<T>): Promise<T> {
  run.signal.throwIfAborted();
  const began = performance.now();
  try {
    return await work();
  } finally {
    const ms = msSince(began);
    const earlier = run.stats.steps.find((each) => each.step === step);
    if (earlier === undefined) run.stats.steps.push({ step, ms });
    else earlier.ms += ms;
    const did = workOf(run.stats, step);
    const fields = {
      step,
      ms,
    };
    if (did.length > 0) run.log.info(fields, `${step}: ${did.join(', ')}, in ${formatElapsed(ms)}`);
    else run.log.debug(fields, `${step}: nothing to do`);
  }
}

/** What a step did, for its log line. */
function workOf({ clients, windows, rows, digests, deliveries, alerts }: RunStats, step: RunStep): string[] {
  const work: Record<RunStep, string[]> = {
    clients: nonzero([
      [clients.pages, 'walked', 'page'],
      [clients.listed, 'listed', 'client'],
      [clients.appeared, 'new'],
      [clients.changed, 'changed'],
      [clients.absent, 'absent'],
    ]),
    windows: nonzero([
      [windows.loaded, 'loaded', 'day'],
      [windows.healed, 'healed'],
      [windows.provisional, 'provisional'],
      [windows.held, 'held'],
      [windows.failed, 'failed'],
      [rows.appeared + rows.updated + rows.unchanged, 'listed', 'campaign'],
      [rows.restated, 'restated'],
      [rows.withdrawn, 'withdrawn'],
    ]),
    digests: nonzero([
      [digests.built, 'built'],
      [digests.corrected, 'corrected'],
      [digests.skipped, 'skipped'],
    ]),
    mail: nonzero([
      [deliveries.sent, 'sent'],
      [deliveries.written, 'written'],
      [deliveries.failed, 'failed'],
      [deliveries.refused, 'refused'],
      [deliveries.unknown, 'of unknown arrival'],
    ]),
    archive: [],
    alerts: nonzero([
      [alerts.sent, 'sent'],
      [alerts.failed, 'failed'],
    ]),
  };
  return work[step];
}
