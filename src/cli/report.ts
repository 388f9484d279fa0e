import type { RunReport } from '../job/run/run.ts';
import { summarize } from '../job/run/run-stats.ts';
import type { Logger } from '../support/logger.ts';

/** Logs the last line of a run: its outcome, and all that it counted. */
export function logReport(log: Logger, { run, outcome, ms, stats }: RunReport): void {
  const seconds = (ms / 1_000).toFixed(1);
  log.info({ run, outcome, ms, ...stats }, `${outcome}: ${summarize(stats)}, in ${seconds} s`);
}
