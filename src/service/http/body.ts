import { AttemptError } from '../failures.ts';
import { maxValues } from '../response/scan-json.ts';
import type { Place } from './request-order.ts';

/** A response that is too large to be in memory beside others: requested again when those before it are done with. */
export class LargeResponse extends Error {}

export type BodyLimits = {
  /** `MAX_RESPONSE_MB`, in bytes. */
  readonly maxResponseBytes: number;
  readonly concurrency: number;
};

/** Requests at once for each one that the concurrency limit allows: pages are fetched ahead of their turn. */
export const aheadPerRequest = 2;

/**
 * Reads a body as text, decompressed. All bodies in memory share the size of one: each has an equal part of it for
 * itself; one that is larger has to be of the oldest request.
 * Throws an AttemptError where it is larger than `MAX_RESPONSE_MB`, and a LargeResponse where it has to wait; the rest
 * is not received then.
 */
export async function readBody(
  response: Response,
  { maxResponseBytes, concurrency }: BodyLimits,
  place: Place,
): Promise<string> {
  const part = maxResponseBytes / (concurrency * aheadPerRequest);
  const check = (bytes: number) => {
    if (bytes > maxResponseBytes) throw tooLarge(maxResponseBytes);
    if (bytes > part && !place.isFirst()) throw new LargeResponse();
  };
  try {
    check(Number(response.headers.get('content-length') ?? 0));
  } catch (error) {
    // That the connection fails meanwhile doesn't make the response smaller.
    await response.body?.cancel().catch(() => {});
    throw error;
  }
  // Not a list of chunks: a chunk of one byte takes a hundred times as many.
  let buffer = Buffer.allocUnsafe(2 ** 16);
  let bytes = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of response.body ?? []) {
    check(bytes + chunk.byteLength);
    if (bytes + chunk.byteLength > buffer.length)
      buffer = Buffer.concat([buffer], Math.max(buffer.length * 2, bytes + chunk.byteLength));
    buffer.set(chunk, bytes);
    bytes += chunk.byteLength;
  }
  return decoderFor(response.headers.get('content-type') ?? '').decode(buffer.subarray(0, bytes));
}

/** Whether more may be built of a body than its part of the memory: each value takes many times its bytes. */
export function isCostly(body: string, { concurrency }: BodyLimits): boolean {
  let values = 0;
  for (let at = 0; at < body.length; at++) if (beginsValue(body.charCodeAt(at))) values++;
  return values > maxValues / (concurrency * aheadPerRequest);
}

const [comma, bracket, brace] = [',', '[', '{'].map((sign) => sign.charCodeAt(0));

const beginsValue = (code: number) => code === comma || code === bracket || code === brace;

function tooLarge(maxResponseBytes: number): AttemptError {
  const limit = `more than ${maxResponseBytes / 1_000_000} MB, the limit of MAX_RESPONSE_MB`;
  return new AttemptError('INVALID_RESPONSE', `the body has ${limit}`, false);
}

/** In the charset that the content type names; UTF-8 where it names none that is known (RFC 8259, 8.1). */
function decoderFor(contentType: string): TextDecoder {
  const charset = /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
