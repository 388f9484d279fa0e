import type { ScheduledTimes } from '../cron/scheduled-times.ts';
import type { Clock, Sleep } from '../support/clock.ts';

/** No sleep is longer: a machine that was suspended, or whose clock was set, is noticed that soon. */
const longestSleepMs = 60_000;

/** How often a slot is looked at that somebody else works on, or that could not be served. */
const standByMs = 5_000;

export type ScheduleTime = { readonly slots: ScheduledTimes; readonly clock: Clock; readonly sleep: Sleep };

/**
 * Has the newest slot that has come served, until the signal is aborted: at start, when its time comes, and after time
 * has passed unseen. Of several that came meanwhile it is the newest alone, for its run heals all days.
 *
 * @param serve gives false where the slot is to be looked at again; handles its own errors
 */
export async function onSchedule(
  { slots, clock, sleep }: ScheduleTime,
  signal: AbortSignal,
  serve: (slot: Temporal.Instant) => Promise<boolean>,
): Promise<void> {
  let settled: Temporal.Instant | null = null;
  while (!signal.aborted) {
    const slot = slots.newest(clock());
    const served = isSame(slot, settled) || (await serve(slot));
    if (served) settled = slot;
    const now = clock();
    const next = slots.next(now);
    const untilNext = next.epochMilliseconds - now.epochMilliseconds;
    await sleep(Math.min(served ? longestSleepMs : standByMs, untilNext), signal);
  }
}

function isSame(slot: Temporal.Instant, other: Temporal.Instant | null): boolean {
  return other?.equals(slot) ?? false;
}
