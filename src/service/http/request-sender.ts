import ky from 'ky';
import type { ZodType } from 'zod';
import type { Account, ServiceResponse } from '../../model/records.ts';
import { userAgent } from '../../support/user-agent.ts';
import { failureOf } from '../failures.ts';
import {
  type AttemptContext,
  type AttemptInput,
  makeAttempt,
  type RequestLimits,
  type ValidResponse,
} from './attempt.ts';
import { createRateLimiter, type SharedRate } from './rate-limiter.ts';
import { retryOptions } from './retry.ts';
import { createTokens, type ReadToken, type RefusedTokens } from './tokens.ts';

export type OperationRequest = Pick<ServiceResponse, 'operation' | 'parameters'> & {
  /** What is requested, in words for errors: `clients, page 3`. */
  readonly about: string;
};

/** Sends one request with the account's token, and retries it. */
export type SendRequest = <T>(
  account: Account,
  request: OperationRequest,
  schema: ZodType<T>,
) => Promise<ValidResponse<T>>;

export const defaultLimits: RequestLimits = {
  retryBudgetMs: 300_000,
  maxRetryAfterMs: 60_000,
  maxWalkMs: 7_200_000,
};

export type RequestSenderInput = Omit<AttemptContext, 'limits' | 'rateLimiter'> & {
  /** Called once for each account, and again when the service refuses its token. */
  readonly token: ReadToken;
  /** Shared by the runs of a process; by default this client has its own. */
  readonly refusedTokens?: RefusedTokens;
  /** A rate shared with other processes; by default this client has its own. */
  readonly sharedRate?: SharedRate;
  readonly limits?: Partial<RequestLimits>;
};

/**
 * Requests to the service (service.md 4, 5): GET, with parameters and token in the query, and JSON back.
 * Every error leaves as a Failure without cause: an HTTP error may hold the URL, and with it the token.
 * Throws the signal's reason once it is aborted, also while waiting.
 */
export function createRequestSender(input: RequestSenderInput): SendRequest {
  const { settings, redactor, signal } = input;
  const limits = { ...defaultLimits, ...input.limits };
  const tokens = createTokens(input.token, input.refusedTokens);
  const rateLimiter = createRateLimiter(settings, signal, input.sharedRate);
  const client = createClient(settings.baseUrl, signal);
  const context = { ...input, limits, rateLimiter };

  /** One request over ky: each attempt waits for the rate limiter, and what it throws decides on the next. */
  async function send<T>(attempt: AttemptInput<T>): Promise<ValidResponse<T>> {
    let firstAttemptAt = Number.POSITIVE_INFINITY;
    let valid: ValidResponse<T> | undefined;
    await client(`${attempt.operation}.wr`, {
      searchParams: attempt.parameters,
      retry: retryOptions(settings.retries, () => performance.now() - firstAttemptAt < limits.retryBudgetMs),
      fetch: async (request) => {
        // Kept beside ky, which returns nothing but a Response: that would be parsed and validated again.
        valid = await rateLimiter.run(async () => {
          firstAttemptAt = Math.min(firstAttemptAt, performance.now());
          return await makeAttempt(request as Request, attempt, context);
        });
        return new Response();
      },
    });
    return valid!;
  }

  return async (account, { about, ...request }, schema) => {
    try {
      return await tokens.using(account.name, (sidtoken) => send({ ...request, account, schema, sidtoken }));
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, `account ${account.name}, ${about}`, redactor);
    }
  };
}

function createClient(baseUrl: string, signal: AbortSignal) {
  return ky.create({
    prefix: baseUrl,
    // The document's content type, odd as it is on a GET (service.md 4).
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'user-agent': userAgent,
    },
    // A redirect would take the token along.
    redirect: 'manual',
    // ky's would count waiting for the rate limiter; each attempt bounds itself.
    timeout: false,
    signal,
  });
}
