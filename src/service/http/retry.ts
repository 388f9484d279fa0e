import type { RetryOptions } from 'ky';
import { AttemptError } from '../failures.ts';

const firstBackoffMs = 300;
const maxBackoffMs = 10_000;

const retryableStatuses = new Set([408, 429, 500, 501, 502, 503, 504, 507, 520, 521, 522, 523, 524, 529]);

/** The error of a status that is not 2xx, with an excerpt of its body. */
export function statusError(status: number, text: string): AttemptError {
  if (status === 401 || status === 403) return new AttemptError('TOKEN_REFUSED', `status ${status}: ${text}`);
  const isRetryable = retryableStatuses.has(status);
  if (!isRetryable && status < 500) return new AttemptError('REQUEST_REFUSED', `status ${status}: ${text}`);
  const detail = `responded with status ${status} on every attempt: ${text}`;
  return new AttemptError('SERVICE_UNAVAILABLE', detail, isRetryable);
}

/**
 * When ky makes another attempt: after retryable errors, at most `limit` times, and while `inBudget` holds.
 * Before it, ky waits a random part of a time that doubles, so that requests that failed together are spread out.
 */
export function retryOptions(limit: number, inBudget: () => boolean): RetryOptions {
  return {
    limit,
    // Not `backoffLimit`: ky caps after the jitter, so most long waits would be equally long.
    delay: (attemptCount) => Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attemptCount - 1)),
    jitter: true,
    shouldRetry: ({ error }) => error instanceof AttemptError && error.isRetryable && inBudget(),
  };
}

/**
 * How long to wait by a `Retry-After` header (RFC 9110, 10.2.3: seconds or an HTTP date), at most `maxMs`:
 * the server's clock may be wrong, or the wait unreasonable.
 * Null where there is no header, it can't be parsed, or its date is past: then the default back-off holds.
 */
export function retryAfterMs(header: string | null, now: number, maxMs: number): number | null {
  if (header === null) return null;
  const wait = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return wait > 0 ? Math.min(wait, maxMs) : null;
}
