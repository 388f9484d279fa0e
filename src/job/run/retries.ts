import { type ErrorCode, errorCatalogue } from '../../model/errors.ts';

// `RETRY_FOR`: a run that leaves something retryable is followed by further runs until that time is over.

/** Minutes from the end of a run to its retry; the last value repeats. */
const waits = [1, 2, 5, 10, 15];

export const isRetryable = (code: ErrorCode): boolean => errorCatalogue[code].retryable;

/** Errors of tokens: refused, in a file without one, and what wasn't requested because of them. */
const refusals: readonly ErrorCode[] = [
  'TOKEN_REFUSED',
  'CLIENT_LIST_REFUSED',
  'NOT_REQUESTED',
  'INVALID_CONFIGURATION',
];

/** Returns whether a run is the fourth of its scheduled time, or a later one: it alerts refusals, and nothing waits for them. */
export const alertsRefusals = (number: number): boolean => number >= 4;

/** Returns whether the next run may heal an error of the run with this number. */
export const mayHeal = (code: ErrorCode, number: number): boolean =>
  isRetryable(code) || (refusals.includes(code) && !alertsRefusals(number));

/**
 * The end of the retries: `RETRY_FOR` after the first start, at the latest the next scheduled time.
 *
 * @param nextScheduled null for a run without a schedule
 */
export function retryUntil(
  firstStart: Temporal.Instant,
  retryForMs: number,
  nextScheduled: Temporal.Instant | null,
): Temporal.Instant {
  const until = firstStart.add({ milliseconds: retryForMs });
  if (nextScheduled === null || Temporal.Instant.compare(until, nextScheduled) <= 0) return until;
  return nextScheduled;
}

/**
 * The start of the next run: 1, 2, 5, 10, 15, 15 … minutes from now; null if that is after `until`.
 *
 * @param number 1 for the first run of a scheduled time
 * @param until null if the run isn't retried
 */
export function nextRetry(
  number: number,
  now: Temporal.Instant,
  until: Temporal.Instant | null,
): Temporal.Instant | null {
  if (until === null) return null;
  const minutes = waits[Math.min(number, waits.length) - 1]!;
  const next = now.add({ minutes });
  return Temporal.Instant.compare(next, until) <= 0 ? next : null;
}

/** Running processes start no retry that is later than this; a new process does. */
const maxLateness = { minutes: 10 };

/** Returns whether a run that has ended is still to be retried. */
export function isRetryAhead(retryAt: string | null, now: Temporal.Instant): boolean {
  if (retryAt === null) return false;
  const latest = Temporal.Instant.from(retryAt).add(maxLateness);
  return Temporal.Instant.compare(now, latest) <= 0;
}
