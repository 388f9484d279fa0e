import ky from 'ky';
import type { ZodType } from 'zod';
import type { Account } from '../../model/account.ts';
import type { Redactor } from '../../support/redaction.ts';
import { failureOf } from '../failures.ts';
import { type AttemptInput, createAttempt, type OnDiscarded, type ValidResponse } from './attempt.ts';
import { createRateLimiter, type RateLimits, type SharedRate } from './rate-limiter.ts';
import { retryOptions } from './retry-options.ts';
import { createTokens, type TokenOf } from './tokens.ts';

export type HttpSettings = RateLimits & {
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
export type Ask = <T>(
  account: Account,
  request: OperationRequest,
  envelope: ZodType<T>,
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

export type HttpParts = {
  readonly settings: HttpSettings;
  /** The token as it stands in its source now; read once, and again when the service refuses it. */
  readonly token: TokenOf;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly onDiscarded?: OnDiscarded;
  /** A rate that is shared with other processes; by default this client has its own. */
  readonly sharedRate?: SharedRate;
  readonly limits?: RequestLimits;
};

/**
 * The service over HTTP (service.md 4, 5): GET, parameters and token in the query, JSON back.
 * Every error leaves as a Failure without cause: what an HTTP error knows may hold the URL, and with it the token.
 * Throws the signal's reason where it is aborted, in waits, too.
 */
export function createAsk(parts: HttpParts): Ask {
  const { settings, redactor, signal } = parts;
  const tokens = createTokens(parts.token);
  const send = createSend(parts);
  return async (account, request, envelope) => {
    const asked = { account: account.name, about: request.about, baseUrl: settings.baseUrl };
    const { operation } = request;
    const parameters = withoutUndefined(request.parameters);
    return await tokens.using(asked, async (sidtoken) => {
      try {
        return await send({ account, operation, parameters, sidtoken, envelope });
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error, asked, redactor);
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
}: HttpParts) {
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
          // Kept beside ky, which passes on nothing but a Response: that would be parsed and validated again.
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
