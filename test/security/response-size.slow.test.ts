import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { account } from '../service/account.ts';
import { connect, day, startRawServer } from '../service/raw-server.ts';
import { parseCampaigns } from './bodies.ts';

it('a record that is nested 5,000 deep is in quarantine', () => {
  const lists = '['.repeat(5_000) + ']'.repeat(5_000);
  const { content } = parseCampaigns(`{"result":[{"callsetid":1},{"callsetid":2,"x":${lists}}]}`);
  expect(content.records).toMatchObject([{ callsetId: 1 }]);
  expect(content.rejects).toMatchObject([{ id: 2, reason: 'nested deeper than 100 levels' }]);
});

describe('a compressed body is refused once its decoded size is above MAX_RESPONSE_MB', () => {
  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', zlib.brotliCompressSync],
  ])('%s', async (encoding, compress) => {
    const packed = compress(Buffer.alloc(3_000_000, '[],'));
    await using server = await startRawServer([
      (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(packed),
    ]);
    const service = connect(server.url, {
      retries: 3,
      requestTimeoutMs: 20_000,
      maxResponseBytes: 2_000_000,
    });
    await expect(service.summarizeCampaigns(account, day)).rejects.toMatchObject({
      code: 'INVALID_RESPONSE',
      message: expect.stringContaining('more than 2 MB, the limit of MAX_RESPONSE_MB'),
    });
    // The next attempt would be as large.
    expect(server.times).toHaveLength(1);
  });
});

describe('the memory of a process that is sent eight hostile bodies at once', () => {
  const limitMb = 1_024;

  it.each([
    ['empty lists in a few bytes of Brotli', `[${'[],'.repeat(5_000_000)}[]]`],
    ['text that takes twice its bytes', `[{"callsetid":1,"campaign":"${'x'.repeat(15_000_000)}ł"}]`],
  ])('stays below 1 GiB: %s', async (_, list) => {
    const body = zlib.brotliCompressSync(`{"result":${list}}`, {
      params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
    });
    await using server = await startRawServer([
      (_request, response) => response.writeHead(200, { 'content-encoding': 'br' }).end(body),
    ]);
    const code = `
      import { account } from './test/service/account.ts';
      import { connect, day } from './test/service/raw-server.ts';
      const settings = { concurrency: 8, retries: 0, requestTimeoutMs: 120_000, maxResponseBytes: 16_000_000 };
      const service = connect('${server.url}', settings);
      await Promise.all(Array.from({ length: 8 }, () => service.summarizeCampaigns(account, day).catch(() => {})));
      console.log(process.resourceUsage().maxRSS);
    `;
    // Node takes half of a container's memory for its heap.
    const flags = [`--max-old-space-size=${limitMb / 2}`, '--input-type=module'];
    const child = spawn(process.execPath, [...flags, '--eval', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const share = Number(printed) / 1_024 / limitMb;
    expect(share).toBeGreaterThan(0);
    expect(share).toBeLessThan(1);
  });
});
