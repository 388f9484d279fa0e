import type { ScheduledRun } from '../model/run.ts';

/**
 * What to do about a scheduled time that has come.
 * `none`: no run, or no more; `stand by`: another run is at work, perhaps for it; `start`: its run was missed or is due;
 * `restart`: its run was cut off; `wait`: its retry is ahead; `retry`: its retry is due.
 */
export type RunDecision = 'none' | 'stand by' | 'start' | 'restart' | 'wait' | 'retry';

/** Decides by the newest run of the scheduled time. Pure. */
export function decideRun(
  scheduledFor: Temporal.Instant,
  { installedAt, newest, lockHeld }: ScheduledRun,
  now: Temporal.Instant,
): RunDecision {
  // A new installation waits for its first scheduled time: earlier ones weren't missed.
  if (newest === null && isAhead(installedAt, scheduledFor)) return 'none';
  const isCutOff = newest !== null && (newest.outcome === null || newest.outcome === 'interrupted');
  const retryAt = newest?.retryAt ?? null;
  if (newest !== null && !isCutOff && retryAt === null) return 'none';
  if (!isCutOff && retryAt !== null && isAhead(retryAt, now)) return 'wait';
  if (lockHeld) return 'stand by';
  if (newest === null) return 'start';
  return isCutOff ? 'restart' : 'retry';
}

const isAhead = (instant: string, now: Temporal.Instant) =>
  Temporal.Instant.compare(Temporal.Instant.from(instant), now) > 0;
