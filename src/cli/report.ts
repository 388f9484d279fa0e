import type { RunReport } from '../job/run/run.ts';
import { summarize } from '../job/run/run-stats.ts';
import type { Logger } from '../support/logger.ts';

/** The last line of a run's log: how it ended, and all that it counted. */
export function tellReport(log: Logger, { run, outcome, ms, stats }: RunReport): void {
  const seconds = (ms / 1_000).toFixed(1);
  log.info({ run, outcome, ms, ...stats }, `${outcome}: ${summarize(stats)}, in ${seconds} s`);
}
