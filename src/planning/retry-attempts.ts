import { type ErrorCode, errorCatalogue } from '../model/errors.ts';

// `RETRY_FOR`: a run goes on with what is retryable, attempt by attempt, until all is done or its time is over.

/** Minutes from the end of an attempt to the next one; the last holds for all further ones. */
const waits = [1, 2, 5, 10, 15];

export const isRetryable = (code: ErrorCode): boolean => errorCatalogue[code].retryable;

export type RetryUntilInput = {
  /** When the run, or for `run --retry-for` its process, started. */
  readonly firstStart: Temporal.Instant;
  readonly retryForMs: number;
  /** The first scheduled time after the first start; null for a run without a schedule. */
  readonly nextScheduled: Temporal.Instant | null;
};

/** Until when a run is retried: `RETRY_FOR` after its first start, and the next scheduled time at the latest. */
export function retryUntil({ firstStart, retryForMs, nextScheduled }: RetryUntilInput): Temporal.Instant {
  const until = firstStart.add({ milliseconds: retryForMs });
  return nextScheduled === null ? until : earlier(until, nextScheduled);
}

/** Whether no further attempt follows one that is at this point now; without `until`, each is the only one. */
export function isLastAttempt(now: Temporal.Instant, until: Temporal.Instant | null): boolean {
  return until === null || Temporal.Instant.compare(now, until) >= 0;
}

export type NextAttemptInput = {
  /** Attempts so far: 1 or more. */
  readonly attempts: number;
  readonly now: Temporal.Instant;
  readonly until: Temporal.Instant;
};

/** When the next attempt starts: after 1, 2, 5, 10, 15, 15 … minutes; the last one when the time is over. */
export function nextAttempt({ attempts, now, until }: NextAttemptInput): Temporal.Instant {
  const minutes = waits[Math.min(attempts, waits.length) - 1]!;
  return earlier(now.add({ minutes }), until);
}

const earlier = (one: Temporal.Instant, other: Temporal.Instant) =>
  Temporal.Instant.compare(one, other) <= 0 ? one : other;

/** How late the next attempt of a run may be; then nobody makes it. */
const maxLateness = { minutes: 10 };

export type UnfinishedRun = {
  /** When its next attempt begins; null unless it waits for that. */
  readonly retryAt: string | null;
  /** Whether it is at work now, as far as the run lock shows. */
  readonly atWork: boolean;
};

/** What a run does that has no outcome. `killed` is also one whose next attempt nobody makes. */
export function unfinishedState(
  { retryAt, atWork }: UnfinishedRun,
  now: Temporal.Instant,
): 'in progress' | 'waiting' | 'killed' {
  if (retryAt === null) return atWork ? 'in progress' : 'killed';
  const latest = Temporal.Instant.from(retryAt).add(maxLateness);
  return Temporal.Instant.compare(now, latest) <= 0 ? 'waiting' : 'killed';
}

/** An error of one account, or of its window. */
type AccountFailure = { readonly code: ErrorCode; readonly account: string };

export type RetriedInput<T extends AccountFailure> = {
  readonly failures: readonly T[];
  /** Names of accounts in the settings. */
  readonly accounts: readonly string[];
  /** Whether the source of an account's token may give another one: a file. */
  readonly tokenMayChange: (account: string) => boolean;
};

/** The failures that a later attempt may heal: retryable ones, and a refused token that may be replaced meanwhile. */
export function retriedFailures<T extends AccountFailure>(input: RetriedInput<T>): T[] {
  return input.failures.filter(
    ({ code, account }) =>
      input.accounts.includes(account) &&
      (isRetryable(code) || (code === 'TOKEN_REFUSED' && input.tokenMayChange(account))),
  );
}
