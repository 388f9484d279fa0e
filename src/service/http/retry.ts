import type { RetryOptions } from 'ky';
import { AttemptError } from '../failures.ts';

const firstBackoffMs = 300;
const maxBackoffMs = 10_000;

/**
 * When ky makes another attempt: after errors that another one may heal, at most `limit` times, and while `inBudget` holds.
 * Before it, ky waits a random part of a time that doubles, so that requests that failed together are spread out.
 */
export function retryOptions(limit: number, inBudget: () => boolean): RetryOptions {
  return {
    limit,
    // Not `backoffLimit`: ky caps after the jitter, so most long waits would be equally long.
    delay: (attemptCount) => Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attemptCount - 1)),
    jitter: true,
    shouldRetry: ({ error }) => error instanceof AttemptError && error.retryNow && inBudget(),
  };
}

/**
 * How long to wait by a `Retry-After` header (RFC 9110, 10.2.3: seconds or an HTTP date), at most `maxMs`:
 * the server's clock may be wrong, or the wait unreasonable.
 * Null where the header is empty, it can't be parsed, or its date is past: then the default back-off holds.
 */
export function retryAfterMs(header: string, now: number, maxMs: number): number | null {
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
  return wait > 0 ? Math.min(wait, maxMs) : null;
}
