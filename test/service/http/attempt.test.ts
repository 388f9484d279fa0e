import type { RequestListener } from 'node:http';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ServiceResponse } from '../../../src/model/records.ts';
import { account } from '../account.ts';
import { connect, day, startRawServer, token, validBody } from '../raw-server.ts';

/** Sends one request to a real server: its result, and what was archived of a response that was discarded. */
async function request(listener: RequestListener, maxResponseBytes = 64_000_000) {
  await using server = await startRawServer([listener]);
  const archived: string[] = [];
  const onDiscarded = async (_: unknown, response: ServiceResponse) =>
    void archived.push(String(response.body));
  const settings = { retries: 0, maxResponseBytes };
  const result = await connect(server.url, settings, { onDiscarded })
    .summarizeCampaigns(account, day)
    .catch((error) => error);
  return { result, archived, requests: server.times.length };
}

const encoded =
  (encoding: string, body: Buffer): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(body);

describe('a compressed body', () => {
  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    // As some servers send it, against RFC 9110, 8.4.1.2.
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
  ])('of %s is read', async (encoding, compress) => {
    const { result } = await request(encoded(encoding, compress(Buffer.from(validBody))));
    expect(result).toMatchObject({ records: [], response: { body: Buffer.from(validBody) } });
  });

  it('is measured after decompression, and not requested again', async () => {
    const packed = zlib.gzipSync(Buffer.alloc(3_000_000, ' '));
    const { result, requests } = await request(encoded('gzip', packed), 2_000_000);
    expect(result).toMatchObject({
      code: 'INVALID_RESPONSE',
      message: expect.stringMatching(/more than 2 MB, the limit of MAX_RESPONSE_MB/),
    });
    expect(requests).toBe(1);
  });
});

describe('a body', () => {
  const limit = validBody.length;

  it.each(['chunk by chunk', 'with its length'])(
    'sent %s may have as many bytes as the limit, and no more',
    async (how) => {
      const sending =
        (body: string): RequestListener =>
        (_, response) => {
          if (how === 'with its length') response.setHeader('content-length', body.length);
          for (const sign of body) response.write(sign);
          response.end();
        };
      expect((await request(sending(validBody), limit)).result).toMatchObject({ records: [] });
      const { result, requests } = await request(sending(`${validBody} `), limit);
      expect(result).toMatchObject({
        code: 'INVALID_RESPONSE',
        message: expect.stringContaining(
          'invalid response (the body has more than 0.000013 MB, the limit of',
        ),
      });
      expect(requests).toBe(1);
    },
  );

  it('is not received if its declared size is too large', async () => {
    const closed = Promise.withResolvers<void>();
    const { result } = await request((_, response) => {
      response.once('close', closed.resolve);
      response.writeHead(200, { 'content-length': limit + 1 }).flushHeaders();
    }, limit);
    expect(result).toMatchObject({ code: 'INVALID_RESPONSE' });
    await closed.promise;
  });

  it('is read as UTF-8 (RFC 8259, 8.1), and a letter may be cut by a chunk', async () => {
    const body = Buffer.from('{"result":[{"callsetid":1,"campaign":"é"}]}');
    const { result } = await request(async (_, response) => {
      for (const byte of body) await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      response.end();
    });
    expect(result).toMatchObject({ records: [{ campaign: 'é' }] });
  });
});

describe('of a discarded response', () => {
  it.each([
    [200, 1_000_000],
    [500, 64_000],
  ])('with status %i the archive keeps %i characters, and says that it is cut', async (status, kept) => {
    const body = `<html>${'x'.repeat(3_000_000)}`;
    const { archived } = await request((_, response) => response.writeHead(status).end(body));
    expect(archived).toEqual([`${body.slice(0, kept)}\n[cut by callsheet after ${kept} characters]`]);
  });

  it('with an error only the beginning is received, however long it is', async () => {
    let sent = 0;
    function* body() {
      for (; sent < 63_000_000; sent += 63_000) yield Buffer.alloc(63_000, 'x');
    }
    const { result } = await request(
      (_, response) => void pipeline(body, response.writeHead(500)).catch(() => {}),
    );
    expect(result).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('status 500'),
    });
    // What the sockets hold is sent, too.
    expect(sent).toBeLessThan(16_000_000);
  });

  it('the archive shows no part of a token that is cut with it', async () => {
    // Wherever the beginning ends, in bytes or in characters, it ends in a token.
    const { archived } = await request((_, response) => response.writeHead(500).end(token.repeat(50_000)));
    expect(archived[0]).toMatch(/^(?:\[redacted\])+\[?[a-z]*\n\[cut/);
  });
});

it('headers that are too large for Node are an invalid response, which is not requested again', async () => {
  const { result, requests } = await request((_, response) =>
    response.writeHead(200, { 'x-policy': 'x'.repeat(17_000) }).end(validBody),
  );
  expect(result).toMatchObject({
    code: 'INVALID_RESPONSE',
    message: 'account main, campaigns of 2026-03-01: invalid response (its headers are too large)',
  });
  expect(requests).toBe(1);
});
