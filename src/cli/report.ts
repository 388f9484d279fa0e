import type { RunReport } from '../job/run/run.ts';
import { summarize } from '../job/run/tally.ts';
import type { Logger } from '../support/logger.ts';

/** The last line of a run's log: how it ended, and all that it counted. */
export function tellReport(log: Logger, { run, outcome, ms, tally }: RunReport): void {
  const seconds = (ms / 1_000).toFixed(1);
  log.info({ run, outcome, ms, ...tally }, `${outcome}: ${summarize(tally)}, in ${seconds} s`);
}
