import type { RetryOptions } from 'ky';
import { excerpt, type Redactor } from '../../support/redaction.ts';
import { AttemptError, describeBody } from '../failures.ts';

const firstBackoffMs = 300;
const maxBackoffMs = 10_000;

const retryableStatuses = new Set([408, 429, 500, 501, 502, 503, 504, 507, 520, 521, 522, 523, 524, 529]);

type ErrorResponse = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
};

/** The error of a status that is not 2xx, with what its body says. */
export function statusError(
  { status, headers, body }: ErrorResponse,
  baseUrl: string,
  redactor: Redactor,
): AttemptError {
  const text = describeBody(body, redactor);
  const location = headers.get('location');
  if (status < 400 && location !== null) return redirectError(status, targetOf(location, baseUrl, redactor));
  if (status === 403 && isForeign(body)) return blockedError(text);
  if (status === 401 || status === 403) return new AttemptError('TOKEN_REFUSED', `status ${status}: ${text}`);
  const isRetryable = retryableStatuses.has(status);
  if (!isRetryable && status < 500) return new AttemptError('REQUEST_REFUSED', `status ${status}: ${text}`);
  const detail = `responded with status ${status} on every attempt: ${text}`;
  const advice = status === 429 ? 'set RATE_PER_SECOND to what it allows' : undefined;
  return new AttemptError('SERVICE_UNAVAILABLE', detail, isRetryable, advice);
}

/** Scheme and host that a `Location` leads to: a path or a query may repeat the token. */
function targetOf(location: string, baseUrl: string, redactor: Redactor): string {
  // A parsed host is in lower case, in which no token is found: the text itself shows whether one is in it.
  const place = location.replaceAll('\t', '').replace(/[?#].*/s, '');
  if (redactor.redact(place) !== place) return 'an address with the session token in it';
  const { protocol, host } = URL.parse(place, baseUrl) ?? {};
  return host ? excerpt(`${protocol}//${host}`, redactor) : 'no address';
}

function redirectError(status: number, target: string): AttemptError {
  const advice =
    'redirects are not followed, for they would take the token along; if the service has moved there, correct SERVICE_BASE_URL';
  return new AttemptError('REQUEST_REFUSED', `status ${status}, a redirect to ${target}`, false, advice);
}

/** Not an object of JSON, as all of the service's responses are (service.md 4). Nothing at all may be the service's. */
function isForeign(body: string): boolean {
  return !/^\s*(\{|$)/.test(body);
}

/** It isn't the token: a later attempt of the run may pass; one at once would only confirm the block. */
function blockedError(text: string): AttemptError {
  const detail = `or a firewall or proxy in front of it refuses the request (status 403, and no JSON: ${text})`;
  const advice =
    "have this machine's address and callsheet's User-Agent allowed there; if nothing stands in front, renew the session token";
  return new AttemptError('SERVICE_UNAVAILABLE', detail, false, advice);
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
 * Null where the header is empty, it can't be parsed, or its date is past: then the default back-off holds.
 */
export function retryAfterMs(header: string, now: number, maxMs: number): number | null {
  const seconds = Number(header);
  const wait = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
  return wait > 0 ? Math.min(wait, maxMs) : null;
}
