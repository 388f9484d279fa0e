import type { Accepted, ObservedSign } from '../../model/accepted.ts';
import type { Account, ServiceResponse, SummaryEnvelope } from '../../model/records.ts';
import { formatElapsed } from '../../support/english.ts';
import type { Redactor } from '../../support/redaction.ts';
import { AttemptError } from '../failures.ts';
import { hashed, textIn, textOf } from '../response/body.ts';
import { parseResponse } from '../response/parse-response.ts';
import type { AnswerSchema } from '../response/schema.ts';
import { connectionError, encodingError, meansError, statusError, unknownAnswer } from './attempt-errors.ts';
import { type BytesInFlight, createBytesInFlight, type Reservation } from './bytes-in-flight.ts';
import type { RateLimiter, RateLimits } from './rate-limiter.ts';
import { retryAfterMs } from './retry.ts';

/** The content of a valid response, and the response as it is archived. */
export type ValidResponse<T> = Pick<SummaryEnvelope, 'remarks' | 'emptyBy'> & {
  readonly content: T;
  readonly response: ServiceResponse;
  /** Call it once the response is used: others may wait for that. */
  readonly release: () => void;
};

/** Called with every discarded response, even if a retry succeeds; `sign` is all that an unknown answer says, else null. */
export type OnDiscarded = (account: Account, response: ServiceResponse, sign: string | null) => Promise<void>;

/** What a person said of the service's answers. */
export type Answers = {
  /** Returns whether somebody accepted a sign; by default nobody did. */
  readonly isAccepted?: (observed: ObservedSign) => boolean;
  /** Returns whether a sign was alerted on an earlier run date: then it is requested once. By default none was. */
  readonly isAlerted?: (sign: Pick<Accepted, 'kind' | 'operation' | 'sign'>) => boolean;
};

export type RequestSettings = RateLimits & {
  readonly baseUrl: string;
  /** For headers and body together. */
  readonly requestTimeoutMs: number;
  readonly retries: number;
  /** `MAX_RESPONSE_MB`, in bytes. */
  readonly maxResponseBytes: number;
};

export type RequestLimits = {
  /** Once this has passed since the first attempt, no retry is scheduled. */
  readonly retryBudgetMs: number;
  /** Longer `Retry-After` waits are cut to this. */
  readonly maxRetryAfterMs: number;
  /** A walk over a client list ends after this. */
  readonly maxWalkMs: number;
};

/** Shared by all attempts of one request sender. */
export type AttemptContext = Answers & {
  readonly settings: RequestSettings;
  readonly limits: RequestLimits;
  readonly rateLimiter: RateLimiter;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly onDiscarded?: OnDiscarded;
  /** Shared by all runs of a process; without it, responses are unbounded together. */
  readonly bytesInFlight?: BytesInFlight;
};

/** The input of one attempt, besides ky's request. */
export type AttemptInput<T> = {
  readonly account: Account;
  readonly sidtoken: string;
  readonly schema: AnswerSchema<T>;
  readonly parameters: ServiceResponse['parameters'];
  /** Whether there may be no such page: then an unknown answer isn't requested again. */
  readonly mayBeMissing: boolean;
};

/** A 429 without `Retry-After` pauses all requests this long. */
const defaultPauseMs = 1_000;

/**
 * Sends a request once, and validates or discards the response: ky never sees it. Throws an AttemptError, even if
 * the signal is aborted.
 */
export async function makeAttempt<T>(
  request: Request,
  input: AttemptInput<T>,
  context: AttemptContext,
): Promise<ValidResponse<T>> {
  const requestedAt = performance.now();
  const reservation = (context.bytesInFlight ?? createBytesInFlight()).reserve();
  try {
    const fetched = await fetchResponse(request, input.sidtoken, reservation, context);
    const answer = await answerOrDiscard(fetched, requestedAt, input, context);
    return { ...answer, release: reservation.release };
  } catch (error) {
    reservation.release();
    throw error;
  }
}

/** Reads a response. What isn't an answer is discarded, and thrown as an AttemptError. */
async function answerOrDiscard<T>(
  { status, headers, body }: FetchedResponse,
  requestedAt: number,
  { account, parameters, schema, mayBeMissing }: AttemptInput<T>,
  context: AttemptContext,
): Promise<Omit<ValidResponse<T>, 'release'>> {
  const { redactor, onDiscarded, isAccepted, isAlerted } = context;
  const { baseUrl } = context.settings;
  const { operation } = schema;
  const text = textIn(headers, body);
  const received = {
    operation,
    parameters,
    status,
    requestedAt,
  };
  try {
    if (meansError(status, headers)) {
      const error = statusError({ status, headers, body: text }, baseUrl, redactor);
      const { rateLimiter, limits } = context;
      const waitMs = retryAfterMs(headers.get('retry-after') ?? '', Date.now(), limits.maxRetryAfterMs);
      // After a 429 or a `Retry-After`: the service limits all of our requests together.
      const pauseMs = waitMs ?? (status === 429 ? defaultPauseMs : null);
      if (error.retryNow && pauseMs !== null) rateLimiter.pause(pauseMs);
      throw error;
    }
    const encoded = encodingError(headers, text);
    if (encoded !== null) throw encoded;
    const about = { kind: 'empty', operation } as const;
    const parsed = parseResponse(
      { status, body: text },
      schema,
      redactor,
      (sign) => isAccepted?.({ ...about, sign, account: account.name }) ?? false,
    );
    if ('sign' in parsed) {
      const { sign } = parsed;
      const wasAlerted = isAlerted?.({ ...about, sign }) ?? false;
      throw unknownAnswer({ status, sign }, baseUrl, !wasAlerted && !mayBeMissing);
    }
    const { body: clean, ...answer } = parsed;
    const archived = clean === textOf(body) ? body : Buffer.from(clean);
    return { ...answer, response: { ...received, ...hashed(archived) } };
  } catch (error) {
    const beginning = Buffer.from(beginningOf(text, meansError(status, headers), redactor));
    const sign = error instanceof AttemptError ? error.sign : null;
    await onDiscarded?.(account, { ...received, ...hashed(beginning) }, sign);
    throw error;
  }
}

type FetchedResponse = { readonly status: number; readonly headers: Headers; readonly body: Buffer };

/** Returns a response with its whole body or, if it means an error, with its beginning. Throws an AttemptError if none arrives. */
async function fetchResponse(
  request: Request,
  sidtoken: string,
  reservation: Reservation,
  { settings, signal }: AttemptContext,
): Promise<FetchedResponse> {
  const { baseUrl, requestTimeoutMs: timeoutMs } = settings;
  const timeout = new AbortController();
  // A response that waits for others isn't slow.
  const timer = setTimeout(() => (reservation.isWaiting ? timer.refresh() : timeout.abort()), timeoutMs);
  try {
    // The token is added only here, because ky puts the URLs it knows into its errors.
    const url = new URL(request.url);
    url.searchParams.set('sidtoken', sidtoken);
    const response = await fetch(url, {
      headers: request.headers,
      redirect: request.redirect,
      signal: AbortSignal.any([signal, timeout.signal]),
    });
    const { status, headers } = response;
    const body = meansError(status, headers)
      ? await readBeginning(response)
      : await readBody(response, settings.maxResponseBytes, reservation);
    return { status, headers, body };
  } catch (error) {
    if (error instanceof AttemptError) throw error;
    if (!timeout.signal.aborted) throw connectionError(error, baseUrl);
    const detail = `the service sent no complete response within ${formatElapsed(timeoutMs)}`;
    throw new AttemptError('SERVICE_UNAVAILABLE', detail);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads a body. Throws an AttemptError as soon as it exceeds `MAX_RESPONSE_MB`, decompressed. */
async function readBody(
  response: Response,
  maxBytes: number,
  reservation: Pick<Reservation, 'add'>,
): Promise<Buffer> {
  const declared = Number(response.headers.get('content-length') ?? 0);
  if (declared > maxBytes) {
    // The response is too large even if cancelling it fails.
    await response.body?.cancel().catch(() => {});
    throw tooLarge(maxBytes);
  }
  const joined = createJoined();
  // Leaving the loop early cancels the stream.
  for await (const chunk of response.body ?? []) {
    if (joined.append(chunk) > maxBytes) throw tooLarge(maxBytes);
    await reservation.add(chunk.byteLength);
  }
  return joined.bytes();
}

/** Characters kept of a discarded body: a whole day, which may be reread, or the page of an error. */
const maxDiscarded = { answer: 1_000_000, error: 64_000 };

/** Reads a body until it surely has more characters than are kept of an error, and cancels the rest. */
async function readBeginning(response: Response): Promise<Buffer> {
  const joined = createJoined();
  for await (const chunk of response.body ?? []) if (joined.append(chunk) > maxDiscarded.error * 4) break;
  return joined.bytes();
}

/** Joins chunks as they come: a list of chunks of one byte takes a hundred times as much. */
function createJoined() {
  let buffer = Buffer.allocUnsafe(16_384);
  let length = 0;
  return {
    /** Returns the length of all chunks. */
    append(chunk: Uint8Array): number {
      const needed = length + chunk.byteLength;
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, buffer.length * 2));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      buffer.set(chunk, length);
      length = needed;
      return length;
    },
    bytes: () => buffer.subarray(0, length),
  };
}

function tooLarge(maxBytes: number): AttemptError {
  const megabytes = maxBytes / 1_000_000;
  return new AttemptError(
    'INVALID_RESPONSE',
    `invalid response (the body has more than ${megabytes} MB, the limit of MAX_RESPONSE_MB)`,
    { retryNow: false },
  );
}

/** Returns a discarded body for the archive. If cut, it can't be reread, but shows what came. */
function beginningOf(body: string, isError: boolean, redactor: Redactor): string {
  const length = isError ? maxDiscarded.error : maxDiscarded.answer;
  const beginning = redactor.redact(body, length);
  if (body.length <= length) return beginning;
  return `${beginning}\n[cut by callsheet after ${length} characters]`;
}
