import { createTask } from 'node-cron';
import type { Schedule } from './schedule.ts';

/** The next slot of a schedule; null where there is none. */
export function nextRun({ expression, timeZone }: Schedule): Temporal.Instant | null {
  const task = createTask(expression, () => {}, { timezone: timeZone });
  const [next] = task.getNextRuns(1);
  void task.destroy();
  return next?.toTemporalInstant() ?? null;
}
