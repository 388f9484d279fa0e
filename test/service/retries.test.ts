import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.ts';
import { createService } from '../../src/service/client.ts';
import { retryAfterMs } from '../../src/service/retry-after.ts';
import { createRedactor } from '../../src/support/redaction.ts';

const account = { name: 'main', label: 'main', timeZone: 'UTC' };
const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.closeAllConnections();
});

/** Asks for one day of a real server that answers as told; the nth answer for the nth request. */
async function ask(
  answers: readonly RequestListener[],
  settings: { requestTimeoutMs?: number; retries?: number } = {},
) {
  const times: number[] = [];
  const server = createServer((request, response) => {
    times.push(performance.now());
    answers[Math.min(times.length, answers.length) - 1]!(request, response);
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service = createService({
    settings: {
      ...{
        baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        windowEnd: 'same-day',
        balanceField: null,
      },
      ...{ concurrency: 4, ratePerSecond: null, requestTimeoutMs: 400, retries: 1, ...settings },
    },
    token: () => 'secret',
    redactor: createRedactor(),
    signal: new AbortController().signal,
  });
  const result = await service
    .summarizeCampaigns(account, { from: '2026-03-01', to: '2026-03-01' })
    .catch((error) => error);
  return { result, times };
}

const good: RequestListener = (_, response) => response.end('{"result":[]}');
const status =
  (code: number, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(code, headers).end('{}');

describe('a try that may pass', () => {
  it.each<[string, RequestListener]>([
    ['status 408', status(408)],
    ['status 429', status(429, { 'retry-after': '0' })],
    ['status 500', status(500)],
    ['status 502', status(502)],
    ['status 503', status(503)],
    ['status 504', status(504)],
    ['a reset connection', (request) => request.socket.destroy()],
    ['silence', () => {}],
    [
      'a body cut short',
      (_, response) =>
        response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
    ],
    [
      'a body that stalls',
      (_, response) => void response.writeHead(200, { 'content-length': '99' }).write('{'),
    ],
    ['HTML', (_, response) => response.end('<html>')],
    ['an empty body', (_, response) => response.end()],
  ])('after %s is made again', async (_, first) => {
    const { result, times } = await ask([first, good]);
    expect(result).toMatchObject({ records: [], rejects: [] });
    expect(times).toHaveLength(2);
  });

  it.each([400, 401, 403, 404, 302])('after status %i is not', async (code) => {
    const { result, times } = await ask([status(code, { location: '/elsewhere' }), good]);
    expect(result).toBeInstanceOf(Failure);
    expect(times).toHaveLength(1);
  });

  it('waits as long as Retry-After says', async () => {
    const { result, times } = await ask([status(503, { 'retry-after': '1' }), good]);
    expect(result).toMatchObject({ records: [] });
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(990);
  });

  it('ends with the failure when all tries are used', async () => {
    const { result, times } = await ask([status(500)], { retries: 2 });
    expect(result).toMatchObject({ kind: 'service unavailable' });
    expect(times).toHaveLength(3);
  });
});

describe('an answer beyond all measure', () => {
  it('is refused by its declared size, before it is read', async () => {
    const { result, times } = await ask([
      (_, response) => void response.writeHead(200, { 'content-length': String(2 ** 31) }).write('{'),
    ]);
    expect(result).toMatchObject({
      kind: 'answer not understood',
      message: expect.stringMatching(/more than 67108864 bytes/),
    });
    expect(times).toHaveLength(1);
  });

  it('is refused as it comes, before it fills memory', async () => {
    const chunk = Buffer.alloc(2 ** 20, ' ');
    let sent = 0;
    const endless: RequestListener = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent++;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const { result } = await ask([endless], { requestTimeoutMs: 20_000 });
    expect(result).toMatchObject({ kind: 'answer not understood' });
    expect(sent).toBeLessThan(200);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-03-01T00:00:00Z');
  it.each([
    [null, null],
    ['5', 5_000],
    ['86400', 60_000],
    ['0', null],
    ['soon', null],
    ['-3', null],
    ['Sun, 01 Mar 2026 00:00:10 GMT', 10_000],
    ['Sun, 01 Mar 2026 02:00:00 GMT', 60_000],
    ['Sat, 28 Feb 2026 00:00:00 GMT', null],
  ])('%s asks for %s ms', (header, wait) => {
    expect(retryAfterMs(header, now, 60_000)).toBe(wait);
  });

  it('never asks for more than a minute, nor for a wait of no length', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.integer().map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (header) => {
          const wait = retryAfterMs(header, now, 60_000);
          expect(wait === null || (wait > 0 && wait <= 60_000)).toBe(true);
        },
      ),
    );
  });
});
