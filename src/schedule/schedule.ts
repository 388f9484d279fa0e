import type { Clock } from '../support/clock.ts';
import type { ScheduledTimes } from './scheduled-times.ts';
import type { Trigger } from './trigger.ts';

/** Where time comes from: the product's, or a simulated one. */
export type ScheduleTime = {
  readonly scheduledTimes: ScheduledTimes;
  readonly clock: Clock;
  readonly trigger: Trigger;
};

/**
 * Runs for the newest scheduled time, until the signal is aborted: at start, when its time comes, and after time has
 * passed unseen. Of several that passed meanwhile only the newest runs, for its run heals all days. One run follows
 * another, since the loop waits for each.
 *
 * @param run resolves to false if the scheduled time is to be looked at again soon; handles its own errors
 */
export async function onSchedule(
  { scheduledTimes, clock, trigger }: ScheduleTime,
  signal: AbortSignal,
  run: (scheduledFor: Temporal.Instant) => Promise<boolean>,
): Promise<void> {
  let done: Temporal.Instant | null = null;
  while (!signal.aborted) {
    const scheduledFor = scheduledTimes.newest(clock());
    if (!done?.equals(scheduledFor)) done = (await run(scheduledFor)) ? scheduledFor : null;
    await trigger.next(done === null ? 'five seconds' : 'minute', signal);
  }
}
