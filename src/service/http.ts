import ky, { isHTTPError, isNetworkError, isTimeoutError, type KyInstance } from 'ky';
import type { Account } from '../model/account.ts';
import type { Failure } from '../model/failure.ts';
import type { Redactor } from '../support/redaction.ts';
import { notUnderstood, requestRefused, tokenRefused, unavailable } from './failures.ts';

export type Operation = 'getClients' | 'campaignSummary';
export type Parameters = { readonly [name: string]: string | number | boolean | undefined };

export type HttpSettings = {
  readonly baseUrl: string;
  readonly requestTimeoutMs: number;
  readonly retries: number;
};

/** Asks one question with the account's token and gives the JSON of the answer. */
export type Ask = (account: Account, operation: Operation, parameters: Parameters) => Promise<unknown>;

export type HttpParts = {
  readonly settings: HttpSettings;
  readonly token: (account: string) => string;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
};

/** A body with status 200 that is no JSON: often a proxy's page, gone at the next try. */
class UnreadableBody extends Error {}

/**
 * The service over HTTP (service.md 4, 5): GET, parameters and token in the query, JSON back.
 * Every failure leaves as a Failure without cause, for the errors of ky carry the URL and with it the token.
 * Throws the signal's reason where it was aborted.
 */
export function createAsk({ settings, token, redactor, signal }: HttpParts): Ask {
  const client = createClient(settings, signal);
  return async (account, operation, parameters) => {
    let answer: unknown;
    try {
      await client.get(`${operation}.wr`, {
        searchParams: { sidtoken: token(account.name), ...parameters },
        fetch: async (input, init) => {
          const { response, body } = await fetchWhole(input, init);
          if (response.ok) answer = parseBody(body);
          return response;
        },
      });
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      throw toFailure(error, { account: account.name, operation, settings, redactor });
    }
  };
}

function createClient(settings: HttpSettings, signal: AbortSignal): KyInstance {
  return ky.create({
    prefix: settings.baseUrl,
    // The document's content type, odd as it is on a GET (service.md 4).
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    // A redirect would carry the token elsewhere.
    redirect: 'manual',
    timeout: settings.requestTimeoutMs,
    signal,
    retry: {
      limit: settings.retries,
      statusCodes: [408, 429, 500, 502, 503, 504],
      jitter: true,
      backoffLimit: 10_000,
      maxRetryAfter: 60_000,
      retryOnTimeout: true,
      shouldRetry: ({ error }) => (error instanceof UnreadableBody ? true : undefined),
    },
  });
}

// The body belongs to the attempt: cut short or stalled, it is retried like a lost connection.
async function fetchWhole(input: string | URL | Request, init?: RequestInit) {
  const whole = await fetch(input, init);
  const body = await whole.text();
  const { status, statusText, headers } = whole;
  const bodyless = status === 204 || status === 205 || status === 304;
  return { body, response: new Response(bodyless ? null : body, { status, statusText, headers }) };
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new UnreadableBody(body.slice(0, 200));
  }
}

type Attempt = {
  readonly account: string;
  readonly operation: Operation;
  readonly settings: HttpSettings;
  readonly redactor: Redactor;
};

function toFailure(error: unknown, { account, operation, settings, redactor }: Attempt): Failure {
  const excerpt = (text: string) => redactor.redact(text).replaceAll(/\s+/g, ' ').trim().slice(0, 200);
  if (isHTTPError(error)) {
    const { status } = error.response;
    const said = excerpt(typeof error.data === 'string' ? error.data : JSON.stringify(error.data ?? ''));
    if (status === 401 || status === 403) return tokenRefused(account, operation, `status ${status}`);
    if (status === 408 || status === 429 || status >= 500) {
      return unavailable(account, operation, `answered ${status} on every try (${said})`);
    }
    return requestRefused(account, operation, `status ${status}: ${said}`);
  }
  if (isTimeoutError(error)) {
    return unavailable(
      account,
      operation,
      `gave no answer within ${settings.requestTimeoutMs} ms on any try`,
    );
  }
  if (isNetworkError(error)) {
    return unavailable(account, operation, `can't be reached at ${settings.baseUrl} (${networkCode(error)})`);
  }
  if (error instanceof UnreadableBody) {
    return notUnderstood(account, operation, `the body is no JSON: ${excerpt(error.message)}`);
  }
  throw new Error(redactor.redact(error instanceof Error ? error.message : String(error)));
}

/** The system's code, or the innermost words; the outer ones hold the URL. */
function networkCode(error: Error): string {
  let innermost = error;
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  if ('code' in innermost && typeof innermost.code === 'string') return innermost.code;
  return innermost === error ? 'connection lost' : innermost.message;
}
