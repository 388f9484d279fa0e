import type { RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Failure } from '../../../src/model/errors.ts';
import { Interrupted } from '../../../src/model/exit-code.ts';
import { retryAfterMs, retryOptions } from '../../../src/service/http/retry.ts';
import { account } from '../account.ts';
import { connect, day, startRawServer, status, valid } from '../raw-server.ts';

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
    ['status 500', status(500)],
    ['a reset connection', (request) => request.socket.destroy()],
    [
      'a body cut short',
      (_, response) =>
        response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
    ],
  ])('after %s is repeated', async (_, first) => {
    const { result, times } = await request([first, valid]);
    expect(result).toMatchObject({ records: [], rejects: [] });
    expect(times).toHaveLength(2);
  });

  it.each<[string, RequestListener]>([
    ['silence', () => {}],
    ['a body that stalls', (_, response) => void response.writeHead(200, { 'content-length': 9 }).write('{')],
  ])('after %s is repeated once its time is over', async (_, first) => {
    // The second attempt has all of the time that it needs.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await using server = await startRawServer([first, valid]);
    const summary = connect(server.url).summarizeCampaigns(account, day);
    while (server.times.length < 2) {
      await setImmediate();
      if (server.times.length === 1) vi.advanceTimersByTime(1_000);
    }
    expect(await summary).toMatchObject({ records: [], rejects: [] });
  });

  it('after a redirect is not repeated', async () => {
    const { result, times } = await request([status(302, { location: '/elsewhere' }), valid]);
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
    ['400 with Retry-After', status(400, { 'retry-after': '3' }), [3_000]],
    ['400 without it', status(400), []],
  ])('after %s pauses all processes for %j ms', async (_, first, expected) => {
    await using server = await startRawServer([first, valid]);
    const paused: number[] = [];
    const sharedRate = { acquire: async () => {}, pause: (ms: number) => void paused.push(ms) };
    await connect(server.url, {}, { sharedRate })
      .summarizeCampaigns(account, day)
      .catch(() => {});
    expect(paused).toEqual(expected);
  });

  it('is not repeated once as many requests as are sent at once got no response at all, until one does', async () => {
    let isDown = true;
    await using server = await startRawServer([
      (incoming, response) => (isDown ? status(500) : valid)(incoming, response),
    ]);
    const service = connect(server.url, { concurrency: 2, retries: 1 });
    const attempts = async () => {
      const before = server.times.length;
      await service.summarizeCampaigns(account, day).catch(() => {});
      return server.times.length - before;
    };
    expect([await attempts(), await attempts(), await attempts(), await attempts()]).toEqual([2, 2, 1, 1]);
    isDown = false;
    await attempts();
    isDown = true;
    expect(await attempts()).toBe(2);
  });
});

it('silence is an error that says how long a complete response was awaited', async () => {
  const { result } = await request([() => {}], { retries: 0, requestTimeoutMs: 1_000 });
  expect(result).toMatchObject({
    message: expect.stringContaining('the service sent no complete response within 1.0 s'),
  });
});

describe('the wait before a retry', () => {
  it('doubles, up to ten seconds', () => {
    const { delay, ...options } = retryOptions(20, () => true);
    expect(options).toEqual({ limit: 20, jitter: true, shouldRetry: expect.any(Function) });
    const waits = [1, 2, 3, 6, 7, 20].map((attempt) => delay!(attempt));
    expect(waits).toEqual([300, 600, 1_200, 9_600, 10_000, 10_000]);
  });

  it('is not begun once the budget is spent', async () => {
    await using server = await startRawServer([status(500), valid]);
    const limits = { retryBudgetMs: 0, maxRetryAfterMs: 1_000 };
    const failed = connect(server.url, {}, { limits }).summarizeCampaigns(account, day);
    await expect(failed).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(server.times).toHaveLength(1);
  });

  it('spends a budget that begins with the first attempt, not with waiting for the rate limiter', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const later = Promise.withResolvers<void>();
    const first: RequestListener = async (incoming, response) => {
      await later.promise;
      valid(incoming, response);
    };
    const second: RequestListener = (incoming, response) => {
      vi.advanceTimersByTime(60_000);
      later.resolve();
      valid(incoming, response);
    };
    await using server = await startRawServer([valid, first, second, status(500), valid]);
    const limits = { retryBudgetMs: 30_000, maxRetryAfterMs: 1_000 };
    const service = connect(server.url, { concurrency: 2 }, { limits });
    // The first request of an account goes alone.
    await service.summarizeCampaigns(account, day);
    // The third one waits for a place.
    const all = [1, 2, 3].map(() => service.summarizeCampaigns(account, day));
    await expect(Promise.all(all)).resolves.toHaveLength(3);
    expect(server.times).toHaveLength(5);
  });
});

describe('a signal', () => {
  it.each<[string, RequestListener, isDiscarded: boolean]>([
    ['a request', () => {}, false],
    ['a body', (_, response) => void response.writeHead(200).write('{'), false],
    ['a back-off', status(500), true],
    ['a pause', status(429, { 'retry-after': '60' }), true],
  ])('ends %s with its own reason', async (_, listener, isDiscarded) => {
    // No timer ends by itself.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await using server = await startRawServer([listener]);
    const stop = new AbortController();
    const discarded = Promise.withResolvers<void>();
    const onDiscarded = async () => discarded.resolve();
    const service = connect(server.url, {}, { signal: stop.signal, onDiscarded });
    const failed = service.summarizeCampaigns(account, day).catch((error) => error);
    while (server.times.length === 0) await setImmediate();
    if (isDiscarded) await discarded.promise;
    const reason = new Interrupted('SIGTERM');
    stop.abort(reason);
    expect(await failed).toBe(reason);
    expect(server.times).toHaveLength(1);
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
});
