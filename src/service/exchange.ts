import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import zlib from 'node:zlib';

/** What came: the status and headers, and the body as text. */
export type Answered = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** More bytes than any answer may have. */
export class AnswerTooLarge extends Error {}

/** No answer, or half a body: the connection failed, was cut, or spoke something else than HTTP. */
export class ConnectionFailure extends Error {}

/**
 * Sends one GET and reads the whole answer, over connections that are kept for the next. `node:http` does this in
 * half the time and a fraction of the memory of `fetch`; redirects are not followed, for the token would go along.
 */
export async function exchange(
  url: URL,
  headers: Readonly<Record<string, string>>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const fail = (error: Error) => reject(signal.aborted ? signal.reason : asConnectionFailure(error));
  const { get } = url.protocol === 'https:' ? https : http;
  const request = get(url, { headers: { ...headers, 'accept-encoding': 'gzip, deflate, br' }, signal });
  request.on('error', fail);
  request.on('response', (response) => {
    readBody(response, maxBytes).then(
      (body) => resolve({ status: response.statusCode!, headers: response.headers, body }),
      (error: Error) => {
        request.destroy();
        fail(error);
      },
    );
  });
  return await promise;
}

function asConnectionFailure(error: Error): Error {
  if (error instanceof AnswerTooLarge) return error;
  // The code alone: messages may hold the address.
  return new ConnectionFailure((error as NodeJS.ErrnoException).code ?? 'connection lost');
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    const body = decompressed(response);
    response.on('error', reject);
    body.on('error', reject);
    body.on('end', resolve);
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) reject(tooLarge(maxBytes));
      else chunks.push(chunk);
    });
  });
  return decoderFor(response.headers['content-type'] ?? '').decode(Buffer.concat(chunks));
}

const tooLarge = (maxBytes: number) => new AnswerTooLarge(`more than ${maxBytes} bytes`);

function decompressed(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase();
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip' || encoding === 'deflate'
      ? zlib.createUnzip()
      : encoding === 'br'
        ? zlib.createBrotliDecompress()
        : null;
  // Its errors reach the stream that is read.
  return decoder === null ? response : pipeline(response, decoder, () => {});
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
