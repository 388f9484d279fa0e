import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import { Interrupted } from '../../../src/model/exit-code.ts';
import { AttemptError } from '../../../src/service/failures.ts';
import { retryAfterMs, retryOptions } from '../../../src/service/http/retry.ts';
import { account } from '../account.ts';
import { connect, day, startRawServer, status, token, valid, validBody } from '../raw-server.ts';

/** Requests one day of a real server; the nth listener for the nth attempt. */
async function request(
  listeners: readonly RequestListener[],
  settings: { requestTimeoutMs?: number; retries?: number } = {},
) {
  await using server = await startRawServer(listeners);
  const result = await connect(server.url, settings)
    .summarizeCampaigns(account, day)
    .catch((error) => error);
  return { result, times: server.times };
}

describe('a retryable attempt', () => {
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
  ])('after %s is repeated', async (_, first) => {
    const { result, times } = await request([first, valid]);
    expect(result).toMatchObject({ records: [], rejects: [] });
    expect(times).toHaveLength(2);
  });

  it.each([400, 404, 302, 300])('after status %i is not repeated', async (code) => {
    const { result, times } = await request([status(code, { location: '/elsewhere' }), valid]);
    expect(result).toBeInstanceOf(Failure);
    expect(times).toHaveLength(1);
  });

  it('waits as long as Retry-After says, and so do all other requests', async () => {
    await using server = await startRawServer([status(503, { 'retry-after': '1' }), valid]);
    const read = Promise.withResolvers<void>();
    const service = connect(server.url, {}, { onDiscarded: async () => read.resolve() });
    const retried = service.summarizeCampaigns(account, day);
    await read.promise;
    await Promise.all([retried, service.listClients(account, {}).catch(() => {})]);
    expect(server.times.length).toBeGreaterThan(2);
    for (const time of server.times.slice(1)) expect(time - server.times[0]!).toBeGreaterThanOrEqual(990);
  });

  it.each<[string, RequestListener, readonly number[]]>([
    ['429 with Retry-After', status(429, { 'retry-after': '2' }), [2_000]],
    ['429 with one of a day', status(429, { 'retry-after': '86400' }), [60_000]],
    ['429 without it', status(429), [1_000]],
    ['503 with Retry-After', status(503, { 'retry-after': '3' }), [3_000]],
    ['503 without it', status(503), []],
    ['400 with Retry-After', status(400, { 'retry-after': '3' }), []],
  ])('after %s pauses all processes for %j ms', async (_, first, expected) => {
    await using server = await startRawServer([first, valid]);
    const paused: number[] = [];
    const sharedRate = { acquire: async () => {}, pause: (ms: number) => void paused.push(ms) };
    await connect(server.url, {}, { sharedRate })
      .summarizeCampaigns(account, day)
      .catch(() => {});
    expect(paused).toEqual(expected);
  });

  it('may have any status below 300, and is no error', async () => {
    const created: RequestListener = (_, response) => response.writeHead(299).end(validBody);
    expect((await request([created])).result).toMatchObject({ records: [], response: { status: 299 } });
  });

  it('ends with the failure when all attempts are used', async () => {
    const { result, times } = await request([status(500)], { retries: 2 });
    expect(result).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(times).toHaveLength(3);
  });
});

describe('a failure says in a line', () => {
  const page = (title: string) =>
    `<!doctype html>\n<html><head><title> ${title}</title></head><body></body></html>`;

  it.each<[string, RequestListener, string, string]>([
    [
      'a proxy’s page by its title',
      (_, response) => response.writeHead(502).end(page('502 Bad Gateway')),
      'the service responded with status 502 on every attempt: a page titled "502 Bad Gateway"',
      'wait: the next run catches up',
    ],
    [
      'a page instead of JSON by its title, without the token',
      (_, response) => response.end(page(`Sign in again: ${token}`)),
      'invalid response (not JSON: a page titled "Sign in again: [redacted]")',
      'check that SERVICE_BASE_URL is the address of the service',
    ],
    [
      'that requests came too fast, and which setting slows them down',
      status(429),
      'the service responded with status 429 on every attempt: JSON without a message',
      'set RATE_PER_SECOND',
    ],
    [
      'that it was silent for too long',
      () => {},
      'the service sent no complete response within 1000 ms on any attempt',
      'wait: the next run catches up',
    ],
    [
      'that the connection ended too early',
      (_, response) =>
        response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
      'the service closes the connection to http://127.0.0.1:',
      'wait: the next run catches up',
    ],
  ])('%s', async (_, listener, problem, advice) => {
    const { result } = await request([listener], { retries: 0 });
    expect(result).toMatchObject({
      message: expect.stringContaining(problem),
      advice: expect.stringContaining(advice),
    });
  });
});

describe('the wait before a retry', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('is for an attempt that may be repeated, in the budget alone', () => {
    const retried = (error: Error, isInBudget = true) =>
      retryOptions(1, () => isInBudget).shouldRetry!({ error, retryCount: 1 } as never);
    const down = new AttemptError('SERVICE_UNAVAILABLE', 'down');
    expect([
      retried(down),
      retried(down, false),
      retried(new AttemptError('REQUEST_REFUSED', 'no')),
      retried(new Error('a bug of ours')),
    ]).toEqual([true, false, false, false]);
  });

  it('doubles, up to ten seconds', () => {
    const { delay, ...options } = retryOptions(20, () => true);
    expect(options).toEqual({ limit: 20, jitter: true, shouldRetry: expect.any(Function) });
    const waits = [1, 2, 3, 6, 7, 20].map((attempt) => delay!(attempt));
    expect(waits).toEqual([300, 600, 1_200, 9_600, 10_000, 10_000]);
  });

  it.each([
    [0, [0, 0, 0]],
    [0.25, [75, 150, 300]],
    [0.5, [150, 300, 600]],
  ])('is a random part of that: all three with %d are %j ms', async (part, expected) => {
    vi.spyOn(Math, 'random').mockReturnValue(part);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const { times } = await request([status(500)], { retries: 3 });
    expect(times).toHaveLength(4);
    const waits = timers.mock.calls.map(([, ms]) => ms).filter((ms) => expected.includes(ms!));
    expect(waits).toEqual(expected);
    // A timer may fire a millisecond early.
    expect(times[3]! - times[0]!).toBeGreaterThanOrEqual(expected.reduce((sum, ms) => sum + ms) - 3);
  });

  it('is not begun once the budget is spent', async () => {
    await using server = await startRawServer([status(500), valid]);
    const limits = { retryBudgetMs: 0, maxRetryAfterMs: 1_000 };
    const failed = connect(server.url, {}, { limits }).summarizeCampaigns(account, day);
    await expect(failed).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(server.times).toHaveLength(1);
  });

  it('spends a budget that begins with the first attempt, not with waiting for the rate limiter', async () => {
    await using server = await startRawServer([valid, status(500), valid]);
    const limits = { retryBudgetMs: 900, maxRetryAfterMs: 1_000 };
    const service = connect(server.url, { ratePerSecond: 1 }, { limits });
    const both = [1, 2].map(() => service.summarizeCampaigns(account, day));
    await expect(Promise.all(both)).resolves.toHaveLength(2);
    expect(server.times).toHaveLength(3);
  });
});

describe('a signal', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each<[string, RequestListener]>([
    ['a request', () => {}],
    ['a body', (_, response) => void response.writeHead(200).write('{')],
    ['a back-off', status(500)],
    ['a pause', status(429, { 'retry-after': '60' })],
  ])('ends %s with its own reason', async (_, listener) => {
    // Not a random part of the back-off, but nine seconds.
    vi.spyOn(Math, 'random').mockReturnValue(30);
    await using server = await startRawServer([listener]);
    const stop = new AbortController();
    const service = connect(server.url, { requestTimeoutMs: 60_000 }, { signal: stop.signal });
    const failed = service.summarizeCampaigns(account, day).catch((error) => error);
    await vi.waitUntil(() => server.times.length === 1, { interval: 5, timeout: 20_000 });
    await delay(100);
    const reason = new Interrupted('SIGTERM');
    const stopped = performance.now();
    stop.abort(reason);
    expect(await failed).toBe(reason);
    expect(performance.now() - stopped).toBeLessThan(2_000);
    expect(server.times).toHaveLength(1);
  });
});

describe('a response that is too large', () => {
  it('is rejected by its declared size, before it is received', async () => {
    const { result, times } = await request([
      (_, response) => void response.writeHead(200, { 'content-length': String(2 ** 31) }).write('{'),
    ]);
    expect(result).toMatchObject({
      code: 'INVALID_RESPONSE',
      message: expect.stringMatching(/more than 64 MB, the limit of MAX_RESPONSE_MB/),
    });
    expect(times).toHaveLength(1);
  });

  it('is rejected while it is received, before it fills memory', async () => {
    const chunk = Buffer.alloc(2 ** 20, ' ');
    let sent = 0;
    const endless: RequestListener = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent++;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const { result } = await request([endless], { requestTimeoutMs: 20_000 });
    expect(result).toMatchObject({ code: 'INVALID_RESPONSE' });
    expect(sent).toBeLessThan(200);
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-03-01T00:00:00Z');
  it.each([
    ['', null],
    ['5', 5_000],
    [' 7 ', 7_000],
    ['86400', 60_000],
    ['0', null],
    ['soon', null],
    ['-3', null],
    ['Sun, 01 Mar 2026 00:00:10 GMT', 10_000],
    ['Sun, 01 Mar 2026 02:00:00 GMT', 60_000],
    ['Sat, 28 Feb 2026 00:00:00 GMT', null],
  ])('%s means a wait of %s ms', (header, wait) => {
    expect(retryAfterMs(header, now, 60_000)).toBe(wait);
  });

  it('never means a wait of more than a minute, or of 0 ms', () => {
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
