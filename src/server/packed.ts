import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, gzip } from 'node:zlib';
import type { Context } from 'hono';

/** A text, compressed. */
export type Packed = Buffer<ArrayBuffer>;

/**
 * Compresses what is sent to many. One copy serves them all: a page of a thousand accounts has ten megabytes, and each
 * client may take its time to read it.
 */
export const pack: (text: string) => Promise<Packed> = promisify(gzip);

/** Sends what was packed, decompressed bit by bit for the few that accept no gzip. */
export function sendPacked(context: Context, packed: Packed, type: string): Response {
  const headers = { 'Content-Type': type, Vary: 'Accept-Encoding' };
  if (/\bgzip\b/i.test(context.req.header('accept-encoding') ?? ''))
    return context.body(packed, 200, { ...headers, 'Content-Encoding': 'gzip' });
  const plain = Readable.from([packed]).pipe(createGunzip());
  return context.body(Readable.toWeb(plain) as ReadableStream, 200, headers);
}
