import type { ZodType } from 'zod';
import type { Account, ServiceResponse } from '../../model/records.ts';
import type { Redactor } from '../../support/redaction.ts';
import { AttemptError } from '../failures.ts';
import { parseResponse } from '../response/parse-response.ts';
import { connectionError, statusError } from './attempt-errors.ts';
import type { RateLimiter, RateLimits } from './rate-limiter.ts';
import { retryAfterMs } from './retry.ts';

/** What a valid response says by its schema, the response as it is archived, and what speaks against it. */
export type ValidResponse<T> = {
  readonly content: T;
  readonly response: ServiceResponse;
  readonly notice: string | null;
};

/** Called with every response that is not valid, whether or not a retry brings a better one. Never rejects. */
export type OnDiscarded = (account: Account, response: ServiceResponse) => Promise<void>;

export type RequestSettings = RateLimits & {
  readonly baseUrl: string;
  /** For headers and body together. */
  readonly requestTimeoutMs: number;
  readonly retries: number;
  /** `MAX_RESPONSE_MB`, in bytes. */
  readonly maxResponseBytes: number;
};

export type RequestLimits = {
  /** No retry is scheduled later than this after the first attempt. */
  readonly retryBudgetMs: number;
  /** Longer `Retry-After` waits are cut to this. */
  readonly maxRetryAfterMs: number;
  /** All walks over a client list end after this. */
  readonly maxWalkMs: number;
};

/** What all attempts of one client share. */
export type AttemptContext = {
  readonly settings: RequestSettings;
  readonly limits: RequestLimits;
  readonly rateLimiter: RateLimiter;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly onDiscarded?: OnDiscarded;
};

/** What one attempt needs besides the request that ky makes. */
export type AttemptInput<T> = Pick<ServiceResponse, 'operation' | 'parameters'> & {
  readonly account: Account;
  readonly sidtoken: string;
  readonly schema: ZodType<T>;
};

/** How long a 429 without `Retry-After` pauses all requests. */
const defaultPauseMs = 1_000;

/**
 * Sends a request once, and validates or discards the response before ky sees it.
 * Throws an AttemptError, also once the signal is aborted.
 */
export async function makeAttempt<T>(
  request: Request,
  { account, operation, parameters, sidtoken, schema }: AttemptInput<T>,
  context: AttemptContext,
): Promise<ValidResponse<T>> {
  const { redactor, onDiscarded } = context;
  const requestedAt = performance.now();
  const { status, headers, body } = await fetchResponse(request, sidtoken, context);
  const received = {
    operation,
    parameters,
    status,
    requestedAt,
  };
  try {
    if (status > 299) {
      const error = statusError({ status, headers, body }, context.settings.baseUrl, redactor);
      if (error.retryNow) pauseRequests(status, headers, context);
      throw error;
    }
    const { content, body: archived, notice } = parseResponse(body, schema, redactor);
    return { content, response: { ...received, body: archived }, notice };
  } catch (error) {
    await onDiscarded?.(account, { ...received, body: beginningOf(body, status, redactor) });
    throw error;
  }
}

/** The response with its whole body, whatever its status. One that is cut short or stalls is a lost connection. */
async function fetchResponse(request: Request, sidtoken: string, { settings, signal }: AttemptContext) {
  const { baseUrl, requestTimeoutMs: timeoutMs } = settings;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(urlWithToken(request, sidtoken), {
      headers: request.headers,
      redirect: request.redirect,
      signal: AbortSignal.any([signal, timeout]),
    });
    const { status, headers } = response;
    return { status, headers, body: await readBody(response, settings.maxResponseBytes) };
  } catch (error) {
    if (error instanceof AttemptError) throw error;
    if (!timeout.aborted) throw connectionError(error, baseUrl);
    const detail = `the service sent no complete response within ${timeoutMs} ms on any attempt`;
    throw new AttemptError('SERVICE_UNAVAILABLE', detail);
  }
}

/** The token (service.md 5) is added here, because ky puts the URLs it knows into its errors. */
function urlWithToken(request: Request, sidtoken: string): URL {
  const url = new URL(request.url);
  url.searchParams.set('sidtoken', sidtoken);
  return url;
}

/**
 * Reads a body as text, decompressed. Throws an AttemptError if it is larger than `MAX_RESPONSE_MB`; the rest is not
 * received then.
 */
export async function readBody(response: Response, maxBytes: number): Promise<string> {
  const declared = Number(response.headers.get('content-length') ?? 0);
  if (declared > maxBytes) {
    // That the connection fails meanwhile doesn't make the response smaller.
    await response.body?.cancel().catch(() => {});
    throw tooLarge(maxBytes);
  }
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function tooLarge(maxBytes: number): AttemptError {
  const megabytes = maxBytes / 1_000_000;
  return new AttemptError(
    'INVALID_RESPONSE',
    `invalid response (the body has more than ${megabytes} MB, the limit of MAX_RESPONSE_MB)`,
    { retryNow: false },
  );
}

/** Characters that are kept of a discarded body: whole days and pages, which may be read again, and pages of errors. */
const maxDiscarded = { success: 1_000_000, error: 64_000 };

/** A discarded body as it is archived; a long one can't be read again, but its beginning shows what came. */
function beginningOf(body: string, status: number, redactor: Redactor): string {
  const length = status <= 299 ? maxDiscarded.success : maxDiscarded.error;
  const beginning = redactor.redact(body, length);
  if (body.length <= length) return beginning;
  return `${beginning}\n[cut by callsheet: ${length} of ${body.length} characters]`;
}

/** A wait that comes with a status pauses all requests: the limit is the service's. */
function pauseRequests(status: number, headers: Headers, context: AttemptContext): void {
  const waitMs = retryAfterMs(headers.get('retry-after') ?? '', Date.now(), context.limits.maxRetryAfterMs);
  const pauseMs = waitMs ?? (status === 429 ? defaultPauseMs : null);
  if (pauseMs !== null) context.rateLimiter.pause(pauseMs);
}
