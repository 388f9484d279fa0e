import { createTask, type TaskOptions } from 'node-cron';
import type { Logger } from '../support/logger.ts';
import type { Schedule } from './scheduled-times.ts';

/** How soon to wake at the latest: on the minute, or on the next five seconds. */
export type Interval = 'minute' | 'five seconds';

/** Wakes the schedule: node-cron does, or the simulated time of a test. */
export type Trigger = {
  /**
   * Resolves at the next scheduled time, or when the interval is over: what was missed is noticed then. At once if that
   * happened since the last call, or if the signal is aborted.
   */
  next(interval: Interval, signal: AbortSignal): Promise<void>;
};

/**
 * Starts node-cron's tasks for a schedule; their timers keep the process up until the trigger is disposed of. Local time
 * must be UTC: node-cron rounds the clock in local time, and stalls while that repeats an hour.
 */
export function startTrigger({ expression, timeZone }: Schedule, logger: Logger): Trigger & Disposable {
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  const options: TaskOptions = {
    logger,
    // A task of each minute would pause while its zone repeats an hour.
    timezone: 'UTC',
    // However late a timer fires, the newest scheduled time is looked for: nothing is missed by that.
    missedExecutionTolerance: Number.POSITIVE_INFINITY,
    suppressMissedWarning: true,
  };
  const scheduled = createTask(expression, wake, { ...options, timezone: timeZone });
  const eachMinute = createTask('* * * * *', wake, options);
  const eachFiveSeconds = createTask('*/5 * * * * *', wake, options);
  void scheduled.start();
  // A timer lasts up to 24 hours, stands still while the machine is suspended, and follows no clock that is set.
  void eachMinute.start();

  return {
    async next(interval, signal) {
      void (interval === 'five seconds' ? eachFiveSeconds.start() : eachFiveSeconds.stop());
      // Added again and again, it is the same listener.
      signal.addEventListener('abort', wake, { once: true });
      if (!signal.aborted) await woken.promise;
      woken = Promise.withResolvers();
    },
    [Symbol.dispose]() {
      for (const task of [scheduled, eachMinute, eachFiveSeconds]) void task.destroy();
    },
  };
}
