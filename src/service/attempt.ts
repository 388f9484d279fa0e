import { type Answered, ConnectionFailure, exchange } from './exchange.ts';

/** A body with status 200 that is no JSON: often a proxy's page, gone at the next try. */
export class UnreadableBody extends Error {}

/** JSON with status 200 that isn't the answer of the document. */
export class ForeignAnswer extends Error {}

/** An answer with status 200 that speaks of a token, session or login. */
export class TokenRefusal extends Error {}

/** Nothing, or only half a body, within the time for one try. */
export class NoAnswer extends Error {}

/** A status that is no success. */
export class BadStatus extends Error {
  readonly status: number;
  readonly body: string;
  /** How long the service asks to wait, as far as we agree to. */
  readonly waitMs: number | null;

  constructor({ status, body }: Answered, waitMs: number | null) {
    super(`status ${status}`);
    this.status = status;
    this.body = body;
    this.waitMs = waitMs;
  }
}

export type AttemptLimits = { readonly timeoutMs: number; readonly maxBytes: number };

// The document's content type, odd as it is on a GET (service.md 4).
const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };

/**
 * One try: request, headers and the whole body within the time and the size for it.
 * The body belongs to the try, so that one that is cut short or stalls is tried again like a lost connection.
 */
export async function attempt(
  url: URL,
  { timeoutMs, maxBytes }: AttemptLimits,
  ownSignal: AbortSignal,
): Promise<Answered> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await exchange(url, headers, maxBytes, AbortSignal.any([ownSignal, timeout]));
  } catch (error) {
    if (timeout.aborted && !ownSignal.aborted) throw new NoAnswer(`no answer within ${timeoutMs} ms`);
    throw error;
  }
}

const passingStatuses = new Set([408, 429, 500, 501, 502, 503, 504, 507, 520, 521, 522, 523, 524, 529]);

/** Whether a further try may help. A token is refused again, and an answer stays as large as it is. */
export function mayPass(error: unknown): { readonly waitMs: number | null } | null {
  if (error instanceof BadStatus) return passingStatuses.has(error.status) ? error : null;
  const passing = [UnreadableBody, ForeignAnswer, NoAnswer, ConnectionFailure];
  return passing.some((kind) => error instanceof kind) ? { waitMs: null } : null;
}
