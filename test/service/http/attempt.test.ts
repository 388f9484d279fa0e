import type { RequestListener } from 'node:http';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { account } from '../account.ts';
import { connect, day, startRawServer, validBody } from '../raw-server.ts';

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
    expect(result).toMatchObject({ records: [], response: { body: validBody } });
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
