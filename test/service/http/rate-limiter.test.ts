import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createRateLimiter,
  type RateLimiter,
  type RateLimits,
} from '../../../src/service/http/rate-limiter.ts';

// The clock is moved by the tests: no start depends on how busy the machine is.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const limiterOf = (limits: Partial<RateLimits>) =>
  createRateLimiter({ concurrency: 8, ratePerSecond: null, ...limits }, never);

/** Begins requests that last until the test ends them: what has begun, in order. */
function requestsOf(limiter: RateLimiter) {
  const begun: string[] = [];
  const open: PromiseWithResolvers<void>[] = [];
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return {
    begun,
    async request(operation: 'getClients' | 'campaignSummary', name: string = operation) {
      void limiter.run(operation, async () => {
        begun.push(name);
        const ending = Promise.withResolvers<void>();
        open.push(ending);
        await ending.promise;
      });
      await settle();
    },
    async endFirst() {
      open.shift()!.resolve();
      await settle();
    },
  };
}

/** When requests of so many milliseconds each start, in milliseconds from now. */
async function startsOf(limiter: RateLimiter, durations: readonly number[]): Promise<number[]> {
  const began = performance.now();
  const starts = durations.map((ms) =>
    limiter.run('campaignSummary', async () => {
      const start = performance.now() - began;
      await new Promise((resolve) => setTimeout(resolve, ms));
      return Math.round(start);
    }),
  );
  await vi.advanceTimersByTimeAsync(10_000);
  return await Promise.all(starts);
}

describe('the rate limiter', () => {
  it('runs no more at once than the concurrency limit, in order', async () => {
    const { begun, request, endFirst } = requestsOf(limiterOf({ concurrency: 2 }));
    for (const name of ['a', 'b', 'c', 'd']) await request('campaignSummary', name);
    expect(begun.join('')).toBe('ab');
    await endFirst();
    expect(begun.join('')).toBe('abc');
    await endFirst();
    expect(begun.join('')).toBe('abcd');
  });

  it('leaves half of the places to campaigns, until there are no more of them', async () => {
    const limiter = limiterOf({ concurrency: 4 });
    const { begun, request } = requestsOf(limiter);
    for (let list = 0; list < 6; list++) await request('getClients');
    expect(begun).toHaveLength(2);
    limiter.endCampaigns();
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toHaveLength(4);
  });

  it('starts a request of campaigns before the client pages that waited for longer', async () => {
    const { begun, request, endFirst } = requestsOf(limiterOf({ concurrency: 1 }));
    for (const operation of ['getClients', 'getClients', 'campaignSummary'] as const)
      await request(operation);
    await endFirst();
    expect(begun).toEqual(['getClients', 'campaignSummary']);
  });

  it.each<[string, Partial<RateLimits>, pauses: number[], durations: number[], starts: number[]]>([
    ['spreads a rate evenly, however many wait', { ratePerSecond: 20 }, [], [0, 0, 0, 0], [0, 50, 100, 150]],
    ['keeps to the rate after a pause', { ratePerSecond: 20 }, [60], [0, 0, 0], [60, 110, 160]],
    [
      'counts the rate from a late start',
      { ratePerSecond: 20, concurrency: 1 },
      [],
      [90, 0, 0],
      [0, 90, 140],
    ],
    ['takes the longer of two pauses', {}, [80, 10], [0, 0], [80, 80]],
  ])('%s', async (_, limits, pauses, durations, expected) => {
    const limiter = limiterOf(limits);
    for (const ms of pauses) limiter.pause(ms);
    expect(await startsOf(limiter, durations)).toEqual(expected);
  });

  it('starts the next request after one that failed', async () => {
    const limiter = limiterOf({ concurrency: 1 });
    const failing = limiter.run('campaignSummary', () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(await startsOf(limiter, [0])).toEqual([0]);
  });

  it('leaves the rate to one that is shared', async () => {
    const paused: number[] = [];
    const shared = { acquire: async () => {}, pause: (ms: number) => void paused.push(ms) };
    const limiter = createRateLimiter({ concurrency: 8, ratePerSecond: 1 }, never, shared);
    expect(await startsOf(limiter, [0, 0])).toEqual([0, 0]);
    limiter.pause(60_000);
    expect(paused).toEqual([60_000]);
  });

  it('starts nothing for which a start is acquired after an abort', async () => {
    const stop = new AbortController();
    const acquired = Promise.withResolvers<void>();
    const shared = { acquire: () => acquired.promise, pause: () => {} };
    const limiter = createRateLimiter({ concurrency: 1, ratePerSecond: null }, stop.signal, shared);
    const work = vi.fn(async () => {});
    const running = limiter.run('campaignSummary', work);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    acquired.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(work).not.toHaveBeenCalled();
  });

  it('waits after an abort for work that has started, and starts no other', async () => {
    const stop = new AbortController();
    const limiter = createRateLimiter({ concurrency: 1, ratePerSecond: null }, stop.signal);
    const ending = Promise.withResolvers<void>();
    let ended = false;
    const running = limiter
      .run('campaignSummary', () => ending.promise)
      .finally(() => {
        ended = true;
      });
    const work = vi.fn(async () => {});
    const waiting = limiter.run('campaignSummary', work);
    await vi.advanceTimersByTimeAsync(0);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await vi.advanceTimersByTimeAsync(0);
    expect(ended).toBe(false);
    ending.resolve();
    await expect(running).rejects.toThrow('enough');
    expect(work).not.toHaveBeenCalled();
  });
});
