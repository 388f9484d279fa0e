import ky from 'ky';
import type { Account } from '../../model/records.ts';
import { userAgent } from '../../support/user-agent.ts';
import { AttemptError, failureOf } from '../failures.ts';
import type { AnswerSchema } from '../response/schema.ts';
import {
  type AttemptContext,
  type AttemptInput,
  makeAttempt,
  type RequestLimits,
  type ValidResponse,
} from './attempt.ts';
import { retryOptions } from './retry.ts';
import { createTokens, type ReadToken } from './tokens.ts';

export type OperationRequest = Pick<AttemptInput<unknown>, 'parameters' | 'mayBeMissing'> & {
  /** Names the request in errors: `clients, page 3`. */
  readonly subject: string;
};

/** Sends one request with the account's token, and retries it. */
export type SendRequest = <T>(
  account: Account,
  request: OperationRequest,
  schema: AnswerSchema<T>,
) => Promise<ValidResponse<T>>;

export const defaultLimits: RequestLimits = {
  retryBudgetMs: 300_000,
  maxRetryAfterMs: 60_000,
  maxWalkMs: 7_200_000,
};

export type RequestSenderInput = Omit<AttemptContext, 'limits'> & {
  /** Called once for each account, and again when the service refuses its token. */
  readonly token: ReadToken;
  readonly limits?: Partial<RequestLimits>;
};

/**
 * Sends GET requests with parameters and token in the query; responses are JSON.
 * Throws every error as a Failure without cause: an HTTP error may hold the URL, and with it the token.
 * Throws the signal's reason once it is aborted, also while waiting.
 */
export function createRequestSender(input: RequestSenderInput): SendRequest {
  const { settings, rateLimiter, redactor, signal } = input;
  const limits = { ...defaultLimits, ...input.limits };
  const withToken = createTokens(input.token);
  const client = createClient(settings.baseUrl, signal);
  const context = { ...input, limits };
  let unavailableInARow = 0;

  /** Sends a request with ky. Each attempt waits for the rate limiter; its error decides about a retry. */
  async function send<T>(attempt: AttemptInput<T>): Promise<ValidResponse<T>> {
    const { operation } = attempt.schema;
    let firstAttemptAt = Number.POSITIVE_INFINITY;
    let unknownAnswers = 0;
    let valid: ValidResponse<T> | undefined;
    const mayRetry = (error: AttemptError) => {
      if (error.code === 'UNKNOWN_ANSWER' && ++unknownAnswers > 1) return false;
      // After as many requests without a response as are sent at once, the service is down: more attempts only take time.
      if (unavailableInARow >= settings.concurrency) return false;
      return performance.now() - firstAttemptAt < limits.retryBudgetMs;
    };
    await client(`${operation}.wr`, {
      searchParams: attempt.parameters,
      retry: retryOptions(settings.retries, mayRetry),
      fetch: async (request) => {
        // ky returns only a Response: without this variable, it would be parsed and validated again.
        valid = await rateLimiter.run(operation, async () => {
          firstAttemptAt = Math.min(firstAttemptAt, performance.now());
          return await makeAttempt(request as Request, attempt, context);
        });
        return new Response();
      },
    });
    return valid!;
  }

  return async (account, { subject, ...request }, schema) => {
    try {
      const valid = await withToken(account.name, schema.operation, (sidtoken) =>
        send({
          ...request,
          account,
          schema,
          sidtoken,
        }),
      );
      unavailableInARow = 0;
      return valid;
    } catch (error) {
      signal.throwIfAborted();
      const isUnavailable = error instanceof AttemptError && error.code === 'SERVICE_UNAVAILABLE';
      unavailableInARow = isUnavailable ? unavailableInARow + 1 : 0;
      throw failureOf(error, `account ${account.name}, ${subject}`, redactor);
    }
  };
}

function createClient(baseUrl: string, signal: AbortSignal) {
  return ky.create({
    prefix: baseUrl,
    // The service's document requires this content type, though it is odd on a GET.
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      // A cache in between would answer with the counts of last night.
      'cache-control': 'no-cache',
      'user-agent': userAgent,
    },
    // Following a redirect would send the token along.
    redirect: 'manual',
    // ky's timeout would include the wait for the rate limiter. Each attempt has its own.
    timeout: false,
    signal,
  });
}
