import ky from 'ky';
import type { ZodType } from 'zod';
import type { Account } from '../../model/records.ts';
import type { Redactor } from '../../support/redaction.ts';
import { failureOf } from '../failures.ts';
import { type AttemptInput, createAttempt, type OnDiscarded, type ValidResponse } from './attempt.ts';
import { createRateLimiter, type RateLimits, type SharedRate } from './rate-limiter.ts';
import { retryOptions } from './retry.ts';
import { createTokens, type ReadToken } from './tokens.ts';

export type RequestSettings = RateLimits & {
  readonly baseUrl: string;
  readonly requestTimeoutMs: number;
  readonly retries: number;
};

export type OperationRequest = {
  readonly operation: 'getClients' | 'campaignSummary';
  /** What is requested, in words for errors: `clients, page 3`. */
  readonly about: string;
  readonly parameters: { readonly [name: string]: string | number | boolean | undefined };
};

/** Sends one request with the account's token, and retries it. */
export type SendRequest = <T>(
  account: Account,
  request: OperationRequest,
  schema: ZodType<T>,
) => Promise<ValidResponse<T>>;

export type RequestLimits = {
  /** Larger bodies are refused: pages and days of any believable size are far below. */
  readonly maxBodyBytes: number;
  /** No retry is scheduled later than this after the first attempt. */
  readonly retryBudgetMs: number;
  /** Longer `Retry-After` waits are cut to this. */
  readonly maxRetryAfterMs: number;
};

const defaultLimits: RequestLimits = {
  maxBodyBytes: 64 * 2 ** 20,
  retryBudgetMs: 300_000,
  maxRetryAfterMs: 60_000,
};

export type RequestParts = {
  readonly settings: RequestSettings;
  /** Called once for each account, and again when the service refuses its token. */
  readonly token: ReadToken;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly onDiscarded?: OnDiscarded;
  /** A rate shared with other processes; by default this client has its own. */
  readonly sharedRate?: SharedRate;
  readonly limits?: RequestLimits;
};

/**
 * Requests to the service (service.md 4, 5): GET, with parameters and token in the query, and JSON back.
 * Every error leaves as a Failure without cause: an HTTP error may hold the URL, and with it the token.
 * Throws the signal's reason once it is aborted, also while waiting.
 */
export function createRequestSender(parts: RequestParts): SendRequest {
  const { settings, redactor, signal } = parts;
  const tokens = createTokens(parts.token);
  const send = createSend(parts);
  return async (account, request, schema) => {
    const context = {
      account: account.name,
      about: request.about,
      baseUrl: settings.baseUrl,
    };
    const { operation } = request;
    const parameters = withoutUndefined(request.parameters);
    return await tokens.using(context, async (sidtoken) => {
      try {
        return await send({
          account,
          operation,
          parameters,
          sidtoken,
          schema,
        });
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error, context, redactor);
      }
    });
  };
}

/** One request over ky: each attempt waits for the rate limiter, and what it throws decides on the next. */
function createSend({
  settings,
  redactor,
  signal,
  sharedRate,
  onDiscarded,
  limits = defaultLimits,
}: RequestParts) {
  const rateLimiter = createRateLimiter(settings, signal, sharedRate);
  const attempt = createAttempt({
    limits: { ...limits, timeoutMs: settings.requestTimeoutMs },
    rateLimiter,
    redactor,
    signal,
    onDiscarded,
  });
  const client = createClient(settings.baseUrl, signal);

  return async <T>(input: AttemptInput<T>): Promise<ValidResponse<T>> => {
    let firstAttemptAt = Number.POSITIVE_INFINITY;
    let valid: ValidResponse<T> | undefined;
    await client(`${input.operation}.wr`, {
      searchParams: input.parameters,
      retry: retryOptions(settings.retries, () => performance.now() - firstAttemptAt < limits.retryBudgetMs),
      fetch: (request) =>
        rateLimiter.run(async () => {
          firstAttemptAt = Math.min(firstAttemptAt, performance.now());
          // Kept beside ky, which returns nothing but a Response: that would be parsed and validated again.
          valid = await attempt(request as Request, input);
          return new Response();
        }),
    });
    return valid!;
  };
}

function createClient(baseUrl: string, signal: AbortSignal) {
  return ky.create({
    prefix: baseUrl,
    // The document's content type, odd as it is on a GET (service.md 4).
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    // A redirect would take the token along.
    redirect: 'manual',
    // ky's would count waiting for the rate limiter; each attempt bounds itself.
    timeout: false,
    signal,
  });
}

/** Parameters without a value are neither sent nor archived. */
function withoutUndefined(parameters: OperationRequest['parameters']): AttemptInput<unknown>['parameters'] {
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as AttemptInput<unknown>['parameters'];
}
