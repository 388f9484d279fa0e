import { type Answered, exchange } from './exchange.ts';

/** A body with status 200 that is no JSON: often a proxy's page, gone at the next try. */
export class UnreadableBody extends Error {}

/** JSON with status 200 that isn't the answer of the document. */
export class ForeignAnswer extends Error {}

/** An answer with status 200 that speaks of a token, session or login. */
export class TokenRefusal extends Error {}

/** Nothing, or only half a body, within the time for one try. */
export class NoAnswer extends Error {}

export type AttemptLimits = { readonly timeoutMs: number; readonly maxBytes: number };

/**
 * One try: request, headers and the whole body within the time and the size for it.
 * The body belongs to the try, so that one that is cut short or stalls is tried again like a lost connection.
 */
export async function attempt(
  { url, headers, signal: ownSignal }: Request,
  { timeoutMs, maxBytes }: AttemptLimits,
): Promise<Answered> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const signal = AbortSignal.any([ownSignal, timeout]);
    return await exchange(new URL(url), Object.fromEntries(headers), maxBytes, signal);
  } catch (error) {
    if (timeout.aborted && !ownSignal.aborted) throw new NoAnswer(`no answer within ${timeoutMs} ms`);
    throw error;
  }
}

/**
 * The answer as ky judges it: its status, and of all headers about waiting only the wait we agree to. A good one was
 * read already, and goes without its body. Seconds are rounded up: ky knows no smaller unit.
 */
export function forKy({ status, body }: Answered, waitMs: number | null): Response {
  const good = status >= 200 && status < 300;
  const bodyless = good || status === 304;
  const headers = waitMs === null ? {} : { 'retry-after': String(Math.ceil(waitMs / 1_000)) };
  return new Response(bodyless ? null : body, { status, headers });
}
