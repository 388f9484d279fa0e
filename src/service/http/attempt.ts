import type { ZodType } from 'zod';
import type { Account, ServiceResponse } from '../../model/records.ts';
import type { Redactor } from '../../support/redaction.ts';
import { parseResponse } from '../response/parse-response.ts';
import { redactBody } from '../response/redact-body.ts';
import { type FetchLimits, fetchResponse, type RawResponse } from './fetch-response.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { ErrorStatus, isRetryable } from './request-errors.ts';
import { retryAfterMs } from './retry.ts';

/** What a valid response says by its schema, and the response as it is archived. */
export type ValidResponse<T> = { readonly content: T; readonly response: ServiceResponse };

/** Called with every response that is not valid, whether or not a retry brings a better one. Never rejects. */
export type OnDiscarded = (account: Account, response: ServiceResponse) => Promise<void>;

export type AttemptParts = {
  readonly limits: FetchLimits & {
    /** Longer `Retry-After` waits are cut to this. */
    readonly maxRetryAfterMs: number;
  };
  readonly rateLimiter: Pick<RateLimiter, 'pause'>;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly onDiscarded: OnDiscarded | undefined;
};

/** What one attempt needs besides the request that ky makes. */
export type AttemptInput<T> = Pick<ServiceResponse, 'operation' | 'parameters'> & {
  readonly account: Account;
  readonly sidtoken: string;
  readonly schema: ZodType<T>;
};

/** Sends a request once and validates the response; every error is one of `request-errors.ts`, or the signal's reason. */
export type Attempt = <T>(request: Request, input: AttemptInput<T>) => Promise<ValidResponse<T>>;

/** How long a 429 without `Retry-After` pauses all requests. */
const defaultPauseMs = 1_000;

/** The attempts of one client: each response is validated or discarded before ky sees it. */
export function createAttempt(parts: AttemptParts): Attempt {
  const { limits, redactor, signal, onDiscarded } = parts;
  return async (request, { account, operation, parameters, sidtoken, schema }) => {
    const requestedAt = performance.now();
    const raw = await fetchResponse(request, sidtoken, limits, signal);
    const received = {
      operation,
      parameters,
      status: raw.status,
      requestedAt,
    };
    try {
      throwOnErrorStatus(raw, parts);
      const { content, body } = parseResponse(raw.body, schema, redactor);
      return { content, response: { ...received, body } };
    } catch (error) {
      await onDiscarded?.(account, {
        ...received,
        body: redactBody(raw.body, redactor),
      });
      throw error;
    }
  };
}

/** Throws for a status that is not 2xx. A wait that comes with it pauses all requests: the limit is the service's. */
function throwOnErrorStatus(
  { status, headers, body }: RawResponse,
  { limits, rateLimiter }: AttemptParts,
): void {
  if (status >= 200 && status <= 299) return;
  const error = new ErrorStatus(status, body);
  const waitMs = retryAfterMs(headers.get('retry-after'), Date.now(), limits.maxRetryAfterMs);
  const pauseMs = waitMs ?? (status === 429 ? defaultPauseMs : null);
  if (pauseMs !== null && isRetryable(error)) rateLimiter.pause(pauseMs);
  throw error;
}
