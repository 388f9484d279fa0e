import type { ScheduledRun } from '../model/run.ts';

/**
 * What to do about a scheduled time that has come.
 * `none`: no run, or no more; `stand by`: somebody is at work, perhaps on it; `start`: its run was missed or is due;
 * `restart`: its run was cut off; `wait`: its run waits for its next attempt; `go on`: the next attempt of the waiting
 * run is due, or the last one of an earlier scheduled time's.
 */
export type RunDecision = 'none' | 'stand by' | 'start' | 'restart' | 'wait' | 'go on';

/** Pure: what to do about a scheduled time, by what the warehouse knows of it. */
export function decideRun(
  scheduledFor: Temporal.Instant,
  known: ScheduledRun,
  now: Temporal.Instant,
): RunDecision {
  if (known.waiting !== null) {
    if (known.lockHeld) return 'stand by';
    const own = scheduledFor.equals(Temporal.Instant.from(known.waiting.scheduledFor));
    return own && isAhead(known.waiting.retryAt, now) ? 'wait' : 'go on';
  }
  // Before that nobody could miss it: a new install waits for its first scheduled time.
  if (isAhead(known.installedAt, scheduledFor)) return 'none';
  const cutOff = known.outcome === null || known.outcome === 'interrupted';
  if (known.outcome !== 'none' && !cutOff) return 'none';
  if (known.lockHeld) return 'stand by';
  return cutOff ? 'restart' : 'start';
}

const isAhead = (instant: string, now: Temporal.Instant) =>
  Temporal.Instant.compare(Temporal.Instant.from(instant), now) > 0;
