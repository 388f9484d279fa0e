import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import YAML from 'yaml';
import { walkClients } from '../../src/service/paging/walk-clients.ts';
import { account } from '../service/account.ts';
import { connect, day, startRawServer } from '../service/raw-server.ts';
import { parseCampaigns } from './bodies.ts';

const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('before anything is built of a body, it is refused where it', () => {
  it.each([
    ['is nested deeper than 10000 levels', `{"result":[],"x":${lists(10_000)}}`],
    ['has more than 100000 records', `{"result":[${'0,'.repeat(100_000)}0]}`],
    [
      'has more than 1000000 values, records and fields together',
      `{"result":[[${'0,'.repeat(1_000_000)}0]]}`,
    ],
  ])('%s', (problem, body) => {
    expect(() => parseCampaigns(body)).toThrow(`the body ${problem}`);
  });

  it('and not for what is in its texts', () => {
    const campaign = '\\"[{,'.repeat(300_000);
    const { content } = parseCampaigns(`{"result":[{"callsetid":1,"campaign":"${campaign}"}]}`);
    expect(content.records).toHaveLength(1);
  });
});

it('a record that is nested 5,000 deep is in quarantine, also beside a number that a double would round', () => {
  const body = `{"result":[{"callsetid":1,"x":12345678901234567890},{"callsetid":2,"x":${lists(5_000)}}]}`;
  const { content } = parseCampaigns(body);
  expect(content.records).toMatchObject([{ callsetId: 1, extra: { x: '12345678901234567890' } }]);
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

/** A page of the client list, larger than the part of the memory that each response may take. */
const largePage = (page: number, pages: number) =>
  JSON.stringify({ page, pages, limit: 1, data: [{ clientid: page, clientname: 'x'.repeat(60_000) }] });

/** Pages beyond the first come in the reverse of their order, as far as they are requested at once. */
function reversed(pages: number): RequestListener {
  const waiting: { page: number; send: () => void }[] = [];
  return (request, response) => {
    const page = Number(new URL(request.url!, 'http://localhost').searchParams.get('page') ?? 1);
    const send = () => response.end(largePage(page, pages));
    if (page === 1) return send();
    waiting.push({ page, send });
    setTimeout(
      () =>
        waiting
          .sort((one, other) => other.page - one.page)
          .shift()
          ?.send(),
      10,
    );
  };
}

const small = { maxResponseBytes: 400_000, concurrency: 4, requestTimeoutMs: 20_000 };

describe('a response above its part of the memory', () => {
  it('waits for those before it: of a walk, one is in memory at a time, in whatever order they come', async () => {
    await using server = await startRawServer([reversed(12)]);
    const service = connect(server.url, small);
    let inMemory = 0;
    let most = 0;
    const list: typeof service.listClients = async (who, parameters, inUse) => {
      const page = await service.listClients(who, parameters, inUse);
      most = Math.max(most, ++inMemory);
      void inUse?.finally(() => inMemory--);
      if (inUse === undefined) inMemory--;
      return page;
    };
    const walk = walkClients({
      list,
      account,
      parameters: { limit: 1 },
      ahead: 8,
      sizeFields: [],
      maxMs: 60_000,
    });
    const items = await Array.fromAsync(walk);
    expect(items.map((item) => item.type)).toEqual([...Array.from({ length: 12 }, () => 'page'), 'end']);
    expect(items.at(-1)).toMatchObject({ outcome: 'complete', clients: 12 });
    expect(most).toBe(1);
  });
});

describe('the memory of a process that is sent three hostile bodies at once', () => {
  const [job] = YAML.parseAllDocuments(readFileSync('deploy/kubernetes/cronjob.yaml', 'utf8'))
    .map((document) => document.toJS())
    .filter(({ kind }) => kind === 'CronJob');
  const [container] = job.spec.jobTemplate.spec.template.spec.containers;
  const limitMb = Number(/^(\d+)Gi$/.exec(container.resources.limits.memory)![1]) * 1_024;

  it.each([
    ['empty lists in a few bytes of Brotli', `[${'[],'.repeat(21_000_000)}[]]`],
    ['text that takes twice its bytes', `[{"callsetid":1,"campaign":"${'x'.repeat(60_000_000)}ł"}]`],
  ])('stays below the limit of the manifest: %s', async (_, list) => {
    const body = zlib.brotliCompressSync(`{"result":${list}}`, {
      params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 },
    });
    await using server = await startRawServer([
      (_request, response) => response.writeHead(200, { 'content-encoding': 'br' }).end(body),
    ]);
    const code = `
      import { account } from './test/service/account.ts';
      import { connect, day } from './test/service/raw-server.ts';
      const settings = { concurrency: 8, retries: 0, requestTimeoutMs: 120_000 };
      const service = connect('${server.url}', settings);
      await Promise.all(Array.from({ length: 3 }, async () => {
        const use = Promise.withResolvers();
        await service.summarizeCampaigns(account, day, use.promise).catch(() => {});
        // The next one may come when this one is loaded.
        await new Promise(setImmediate);
        use.resolve();
      }));
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
    expect(share).toBeLessThan(0.9);
  });
});
