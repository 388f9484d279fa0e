import type { RunStep } from '../../model/run.ts';
import { msSince } from '../../support/clock.ts';
import { formatElapsed } from '../../support/english.ts';
import type { Run } from './run.ts';
import { countsOf, nonzero } from './run-stats.ts';

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
