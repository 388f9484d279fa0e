import type { RetryOptions } from 'ky';
import { isRetryable } from './request-errors.ts';

const firstBackoffMs = 300;
const maxBackoffMs = 10_000;

/**
 * When ky makes another attempt: after retryable errors, at most `limit` times, and as long as `inBudget` says.
 * Before it, ky waits a random part of a time that doubles, so that requests that failed together are spread out.
 */
export function retryOptions(limit: number, inBudget: () => boolean): RetryOptions {
  return {
    limit,
    // Not `backoffLimit`: ky caps after the jitter, so most long waits would be equally long.
    delay: (attemptCount) => Math.min(maxBackoffMs, firstBackoffMs * 2 ** (attemptCount - 1)),
    jitter: true,
    shouldRetry: ({ error }) => isRetryable(error) && inBudget(),
  };
}
