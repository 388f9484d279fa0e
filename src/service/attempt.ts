/** A body with status 200 that is no JSON: often a proxy's page, gone at the next try. */
export class UnreadableBody extends Error {}

/** JSON with status 200 that isn't the answer of the document. */
export class ForeignAnswer extends Error {}

/** An answer with status 200 that speaks of a token, session or login. */
export class TokenRefusal extends Error {}

/** Nothing, or only half a body, within the time for one try. */
export class NoAnswer extends Error {}

/** More bytes than any answer may have. */
export class AnswerTooLarge extends Error {}

export type AttemptLimits = { readonly timeoutMs: number; readonly maxBytes: number };

/** What came: the status and headers, and the body as text. */
export type Answered = { readonly whole: Response; readonly body: string };

/**
 * One try: request, headers and the whole body within the time and the size for it.
 * The body belongs to the try, so that one that is cut short or stalls is tried again like a lost connection.
 */
export async function attempt(
  input: string | URL | Request,
  init: RequestInit | undefined,
  { timeoutMs, maxBytes }: AttemptLimits,
): Promise<Answered> {
  const ownSignal = init?.signal ?? (input instanceof Request ? input.signal : null);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = ownSignal ? AbortSignal.any([ownSignal, timeout]) : timeout;
  try {
    const whole = await fetch(input, { ...init, signal });
    const body = await readBody(whole, maxBytes);
    return { whole, body };
  } catch (error) {
    if (timeout.aborted && !ownSignal?.aborted) throw new NoAnswer(`no answer within ${timeoutMs} ms`);
    throw error;
  }
}

async function readBody(response: Response, maxBytes: number): Promise<string> {
  const declared = Number(response.headers.get('content-length') ?? 0);
  const decoder = decoderFor(response.headers.get('content-type') ?? '');
  let text = '';
  let bytes = 0;
  if (declared > maxBytes) await refuse(response, maxBytes);
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) await refuse(response, maxBytes);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The charset that the answer names; UTF-8 where it names none that is known (RFC 8259, 8.1). */
function decoderFor(contentType: string): TextDecoder {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

async function refuse(response: Response, maxBytes: number): Promise<never> {
  // Within a loop over the body it is locked, and ends with the loop.
  if (!response.body?.locked) await response.body?.cancel();
  throw new AnswerTooLarge(`more than ${maxBytes} bytes`);
}

/**
 * The answer as ky goes on with it: its body read, and of all headers about waiting only the wait we agree to.
 * Seconds are rounded up: ky knows no smaller unit.
 */
export function buffered({ whole, body }: Answered, waitMs: number | null): Response {
  const { status, statusText } = whole;
  const headers = new Headers(whole.headers);
  const aboutWaiting = /^(retry-after$|x-?rate-?limit|ratelimit)/;
  for (const name of [...headers.keys()].filter((name) => aboutWaiting.test(name))) headers.delete(name);
  if (waitMs !== null) headers.set('retry-after', String(Math.ceil(waitMs / 1_000)));
  const bodyless = status === 204 || status === 205 || status === 304;
  return new Response(bodyless ? null : body, { status, statusText, headers });
}
