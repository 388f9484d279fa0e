import type { RequestListener } from 'node:http';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type ServiceResponse, textOf } from '../../../src/model/records.ts';
import { readBody } from '../../../src/service/http/attempt.ts';
import { account } from '../account.ts';
import { connect, day, startRawServer, token, validBody } from '../raw-server.ts';

const encoded =
  (encoding: string, body: Buffer): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(body);

async function request(listener: RequestListener) {
  await using server = await startRawServer([listener]);
  const result = await connect(server.url, { retries: 0, requestTimeoutMs: 20_000 })
    .summarizeCampaigns(account, day)
    .catch((error) => error);
  return { result, requests: server.times.length };
}

describe('a compressed body', () => {
  it.each([
    ['gzip', zlib.gzipSync],
    ['x-gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    // As some servers send it, against RFC 9110, 8.4.1.2.
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
    ['GZIP', zlib.gzipSync],
  ])('of %s is read', async (encoding, compress) => {
    const { result } = await request(encoded(encoding, compress(Buffer.from(validBody))));
    expect(result).toMatchObject({ records: [], response: { body: Buffer.from(validBody) } });
  });

  it.each([
    ['is none', Buffer.from(validBody)],
    [
      'ends too early',
      zlib.gzipSync(Buffer.from(JSON.stringify({ result: ['x'.repeat(99)] }))).subarray(0, 24),
    ],
  ])('that %s is an error', async (_, body) => {
    const { result } = await request(encoded('gzip', body));
    expect(result).toMatchObject({
      code: expect.stringMatching(/^(SERVICE_UNAVAILABLE|INVALID_RESPONSE)$/),
    });
  });

  it('is measured after decompression', async () => {
    const packed = zlib.gzipSync(Buffer.alloc(65 * 2 ** 20, ' '));
    const { result, requests } = await request(encoded('gzip', packed));
    expect(packed.length).toBeLessThan(2 ** 17);
    expect(result).toMatchObject({
      code: 'INVALID_RESPONSE',
      message: expect.stringMatching(/more than 64 MB, the limit of MAX_RESPONSE_MB/),
    });
    expect(requests).toBe(1);
  });
});

describe('a body', () => {
  const tooLarge = {
    code: 'INVALID_RESPONSE',
    message: 'invalid response (the body has more than 0.00008 MB, the limit of MAX_RESPONSE_MB)',
    retryNow: false,
  };

  /** In chunks of these lengths. */
  const chunked = (...lengths: number[]) =>
    new Response(
      new ReadableStream({
        start(controller) {
          for (const length of lengths) controller.enqueue(Buffer.from('x'.repeat(length)));
          controller.close();
        },
      }),
    );

  it('may have as many bytes as the limit, in whatever chunks they come, and may be empty', async () => {
    for (const lengths of [[80], [79, 1], [1, 1, 78], []]) {
      const whole = 'x'.repeat(lengths.reduce((sum, length) => sum + length, 0));
      expect(textOf(await readBody(chunked(...lengths), 80))).toBe(whole);
    }
    expect(textOf(await readBody(new Response(null, { status: 204 }), 80))).toBe('');
    for (const lengths of [[81], [79, 2]])
      await expect(readBody(chunked(...lengths), 80)).rejects.toMatchObject(tooLarge);
  });

  it('is not received if its declared size is too large', async () => {
    let isCancelled = false;
    const body = new ReadableStream({
      cancel() {
        isCancelled = true;
      },
    });
    const headers = { 'content-length': '81' };
    await expect(readBody(new Response(body, { headers }), 80)).rejects.toMatchObject(tooLarge);
    expect(isCancelled).toBe(true);
    await expect(readBody(new Response(null, { headers }), 80)).rejects.toMatchObject(tooLarge);
  });

  it('is read as UTF-8 (RFC 8259, 8.1), and a letter may be cut by a chunk', async () => {
    const stream = ReadableStream.from([Uint8Array.of(0xc3), Uint8Array.of(0xa9)]);
    expect(textOf(await readBody(new Response(stream), 80))).toBe('é');
  });
});

describe('an error with a body of 63 MB', () => {
  it('costs no more than one of 63 KB: it is what its status says, and only its beginning is received', async () => {
    let sent = 0;
    function* body() {
      for (; sent < 63_000_000; sent += 63_000) yield Buffer.alloc(63_000, 'x');
    }
    await using server = await startRawServer([
      (_, response) => void pipeline(body, response.writeHead(500)).catch(() => {}),
    ]);
    const archived: string[] = [];
    const settings = { retries: 0, requestTimeoutMs: 20_000, maxResponseBytes: 16_000_000 };
    const onDiscarded = async (_: unknown, response: ServiceResponse) =>
      void archived.push(String(response.body));
    await expect(
      connect(server.url, settings, { onDiscarded }).summarizeCampaigns(account, day),
    ).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('status 500') });
    expect(archived).toEqual([`${'x'.repeat(64_000)}\n[cut by callsheet after 64000 characters]`]);
    // What the sockets hold is sent, too.
    expect(sent).toBeLessThan(16_000_000);
  });

  it('shows no part of a token that is cut with it', async () => {
    // Wherever the beginning ends, in bytes or in characters, it ends in a token.
    await using server = await startRawServer([
      (_, response) => response.writeHead(500).end(token.repeat(50_000)),
    ]);
    const archived: string[] = [];
    const onDiscarded = async (_: unknown, response: ServiceResponse) =>
      void archived.push(String(response.body));
    const service = connect(server.url, { retries: 0, requestTimeoutMs: 20_000 }, { onDiscarded });
    await service.summarizeCampaigns(account, day).catch(() => {});
    expect(archived[0]).toMatch(/^(?:\[redacted\])+\[?[a-z]*\n\[cut/);
  });
});
