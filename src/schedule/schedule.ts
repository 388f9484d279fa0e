import { createTask, type TaskOptions } from 'node-cron';
import type { Clock } from '../support/clock.ts';
import type { Logger } from '../support/logger.ts';
import type { Schedule, ScheduledTimes } from './scheduled-times.ts';

/** Real or simulated time. */
export type ScheduleTime = {
  readonly scheduledTimes: ScheduledTimes;
  readonly clock: Clock;
  readonly trigger: Trigger;
};

/**
 * Runs for the newest scheduled time until the signal is aborted: at start, when its time comes, and after time
 * has passed unseen. If several passed, only the newest runs: its run heals all days. Runs follow each other,
 * because the loop waits for each.
 *
 * @param run resolves to when to look again at the scheduled time; handles its own errors
 */
export async function onSchedule(
  { scheduledTimes, clock, trigger }: ScheduleTime,
  signal: AbortSignal,
  run: (scheduledFor: Temporal.Instant) => Promise<'done' | Temporal.Instant>,
): Promise<void> {
  let done = null as Temporal.Instant | null;
  while (!signal.aborted) {
    const scheduledFor = scheduledTimes.newest(clock());
    const isDone: boolean = done?.equals(scheduledFor) ?? false;
    const again = isDone ? 'done' : await run(scheduledFor);
    done = again === 'done' ? scheduledFor : null;
    await trigger.next(again === 'done' ? 'minute' : intervalUntil(again, clock()), signal);
  }
}

/** The longest sleep: to the minute, or to the next five seconds. */
export type Interval = 'minute' | 'five seconds';

/** Every five seconds in the last minute, and each minute before: another process may do it sooner. */
const intervalUntil = (at: Temporal.Instant, now: Temporal.Instant): Interval =>
  at.epochMilliseconds - now.epochMilliseconds <= 60_000 ? 'five seconds' : 'minute';

/** Wakes the schedule: node-cron, or the simulated time of a test. */
export type Trigger = {
  /**
   * Resolves at the next scheduled time, or when the interval is over: missed times are noticed then. At once if
   * that happened since the last call, or if the signal is aborted.
   */
  next(interval: Interval, signal: AbortSignal): Promise<void>;
};

/**
 * Starts node-cron's tasks for a schedule; their timers keep the process up until the trigger is disposed. Local
 * time must be UTC: node-cron rounds the clock in local time, and stalls while an hour repeats.
 */
export function startTrigger({ expression, timeZone }: Schedule, logger: Logger): Trigger & Disposable {
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  const options: TaskOptions = {
    logger,
    // In another zone, a task of each minute would pause while an hour repeats.
    timezone: 'UTC',
    // A late timer misses nothing: the loop looks for the newest scheduled time.
    missedExecutionTolerance: Number.POSITIVE_INFINITY,
    suppressMissedWarning: true,
  };
  const scheduled = createTask(expression, wake, { ...options, timezone: timeZone });
  const eachMinute = createTask('* * * * *', wake, options);
  const eachFiveSeconds = createTask('*/5 * * * * *', wake, options);
  void scheduled.start();
  // A timer lasts up to 24 hours, stops while the machine is suspended, and ignores changes of the clock.
  void eachMinute.start();

  return {
    async next(interval, signal) {
      void (interval === 'five seconds' ? eachFiveSeconds.start() : eachFiveSeconds.stop());
      // Adding it again adds no second listener.
      signal.addEventListener('abort', wake, { once: true });
      if (!signal.aborted) await woken.promise;
      woken = Promise.withResolvers();
    },
    [Symbol.dispose]() {
      for (const task of [scheduled, eachMinute, eachFiveSeconds]) void task.destroy();
    },
  };
}
