import type { ScheduledRun } from '../model/run.ts';

/**
 * What to do about a scheduled time that has come.
 * `none`: no run, or no more; `stand by`: somebody is at work, perhaps on it; `start`: its run was missed or is due;
 * `restart`: its run was cut off.
 */
export type RunDecision = 'none' | 'stand by' | 'start' | 'restart';

/** Pure: what to do about a scheduled time, by what the warehouse knows of it. */
export function decideRun(scheduledFor: Temporal.Instant, known: ScheduledRun): RunDecision {
  // Before that nobody could miss it: a new install waits for its first scheduled time.
  const installedAt = Temporal.Instant.from(known.installedAt);
  if (Temporal.Instant.compare(scheduledFor, installedAt) < 0) return 'none';
  const cutOff = known.outcome === null || known.outcome === 'interrupted';
  if (known.outcome !== 'none' && !cutOff) return 'none';
  if (known.lockHeld) return 'stand by';
  return cutOff ? 'restart' : 'start';
}
