import type { RetryOptions } from 'ky';
import { AttemptError } from '../failures.ts';

const firstBackoffMs = 300;
const maxBackoffMs = 10_000;

/**
 * Retries errors that another attempt may heal, at most `limit` times, and while `mayRetry` returns true.
 * Waits a random part of a back-off that doubles: this spreads out requests that failed together.
 */
export function retryOptions(limit: number, mayRetry: (error: AttemptError) => boolean): RetryOptions {
  return {
    limit,
    // Not `backoffLimit`: ky caps after the jitter, so most long waits would be equally long.
    delay: (attemptCount) => Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attemptCount - 1)),
    jitter: true,
    shouldRetry: ({ error }) => error instanceof AttemptError && error.retryNow && mayRetry(error),
  };
}

/**
 * Returns the wait of a `Retry-After` header (RFC 9110, 10.2.3: seconds or an HTTP date), at most `maxMs`:
 * the server's clock may be wrong, or the wait unreasonable.
 * Returns null if the header is empty or malformed, or its date is past: then the default back-off applies.
 */
export function retryAfterMs(header: string, now: number, maxMs: number): number | null {
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
  return wait > 0 ? Math.min(wait, maxMs) : null;
}
