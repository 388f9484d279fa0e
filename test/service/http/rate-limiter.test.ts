import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createRateLimiter } from '../../../src/service/http/rate-limiter.ts';

const never = new AbortController().signal;

/** How many timers begun in this test keep the process up: those of the process may be another test's, and end meanwhile. */
function countTimers(): () => number {
  const [begun, ended] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  onTestFinished(() => {
    begun.mockRestore();
    ended.mockRestore();
  });
  return () => {
    const cleared = ended.mock.calls.map(([timer]) => timer);
    return begun.mock.results.filter(({ value }) => value.hasRef() && !cleared.includes(value)).length;
  };
}

describe('the rate limiter', () => {
  it('runs no more at once than the concurrency limit, in order', async () => {
    const limiter = createRateLimiter({ concurrency: 3, ratePerSecond: null }, never);
    let [now, max] = [0, 0];
    const begun: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        limiter.run('campaignSummary', async () => {
          begun.push(index);
          max = Math.max(max, ++now);
          await new Promise(setImmediate);
          now--;
        }),
      ),
    );
    expect(max).toBe(3);
    expect(begun).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it('leaves half of the places to campaigns, until there are no more of them', async () => {
    const limiter = createRateLimiter({ concurrency: 4, ratePerSecond: null }, never);
    const ending = Array.from({ length: 6 }, () => Promise.withResolvers<void>());
    let walking = 0;
    const list = (index: number) =>
      limiter.run('getClients', async () => {
        walking++;
        await ending[index]!.promise;
        walking--;
      });
    const lists = ending.map((_, index) => list(index));
    await delay(0);
    expect(walking).toBe(2);
    limiter.endCampaigns();
    await delay(0);
    expect(walking).toBe(4);
    for (const { resolve } of ending) resolve();
    await Promise.all(lists);
  });

  it('starts a request of campaigns before the client pages that waited for longer', async () => {
    const limiter = createRateLimiter({ concurrency: 1, ratePerSecond: null }, never);
    const begun: string[] = [];
    const request = (operation: 'getClients' | 'campaignSummary') =>
      limiter.run(operation, async () => {
        begun.push(operation);
        await delay(0);
      });
    await Promise.all([
      request('getClients'),
      request('getClients'),
      request('getClients'),
      request('campaignSummary'),
    ]);
    expect(begun).toEqual(['getClients', 'campaignSummary', 'getClients', 'getClients']);
  });

  it('spreads a rate evenly over time, however many wait', async () => {
    const ratePerSecond = 12.3;
    const began = performance.now();
    const limiter = createRateLimiter({ concurrency: 8, ratePerSecond }, never);
    const starts = await Promise.all(
      Array.from({ length: 5 }, () => limiter.run('campaignSummary', async () => performance.now())),
    );
    // From the beginning, for one that is seen late would make the gap to the next one short. p-queue counts in whole
    // milliseconds.
    const early = starts.filter((start, index) => start - began < index * (1_000 / ratePerSecond - 1.5) - 1);
    expect(early).toEqual([]);
  });

  it('keeps to the rate after a pause, however many waited for its end', async () => {
    const limiter = createRateLimiter({ concurrency: 8, ratePerSecond: 20 }, never);
    const began = performance.now();
    limiter.pause(60);
    const starts = await Promise.all(
      Array.from({ length: 4 }, () => limiter.run('campaignSummary', async () => performance.now())),
    );
    // From the beginning, for a first one that is seen late would make the gap short.
    expect(starts[3]! - began).toBeGreaterThan(60 + 3 * 50 - 6);
  });

  it('keeps two starts apart where the first of them waited for another request to end', async () => {
    const limiter = createRateLimiter({ concurrency: 1, ratePerSecond: 20 }, never);
    const starts: number[] = [];
    await Promise.all(
      [90, 0, 0].map((ms) =>
        limiter.run('campaignSummary', async () => {
          starts.push(performance.now());
          if (ms > 0) await delay(ms);
        }),
      ),
    );
    // Not merely in another twentieth of a second. p-queue counts in whole milliseconds.
    expect(starts[2]! - starts[1]!).toBeGreaterThan(48);
  });

  it('takes the longer of two pauses', async () => {
    const limiter = createRateLimiter({ concurrency: 1, ratePerSecond: null }, never);
    const began = performance.now();
    limiter.pause(80);
    limiter.pause(10);
    expect(
      (await limiter.run('campaignSummary', async () => performance.now())) - began,
    ).toBeGreaterThanOrEqual(79);
  });

  it('starts nothing while it pauses, and starts the next after work that failed', async () => {
    const limiter = createRateLimiter({ concurrency: 1, ratePerSecond: null }, never);
    await expect(limiter.run('campaignSummary', () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
    const began = performance.now();
    limiter.pause(80);
    expect(
      (await limiter.run('campaignSummary', async () => performance.now())) - began,
    ).toBeGreaterThanOrEqual(79);
  });

  it('leaves the rate to one that is shared', async () => {
    const acquired: AbortSignal[] = [];
    const paused: number[] = [];
    const shared = {
      acquire: async (signal: AbortSignal) => void acquired.push(signal),
      pause: (ms: number) => void paused.push(ms),
    };
    // By its own, the second would start a quarter of an hour later.
    const limiter = createRateLimiter({ concurrency: 8, ratePerSecond: 0.001 }, never, shared);
    expect(await Promise.all([1, 2].map((each) => limiter.run('campaignSummary', async () => each)))).toEqual(
      [1, 2],
    );
    limiter.pause(60_000);
    expect({ acquired, paused }).toEqual({ acquired: [never, never], paused: [60_000] });
  });

  it('keeps the process up while requests wait for the end of a pause, and not by a pause alone', async () => {
    const timers = countTimers();
    const limiter = createRateLimiter({ concurrency: 1, ratePerSecond: null }, never);
    limiter.pause(60_000);
    expect(timers()).toBe(0);
    const other = createRateLimiter({ concurrency: 1, ratePerSecond: null }, never);
    other.pause(50);
    const waiting = other.run('campaignSummary', async () => other.pause(60_000));
    expect(timers()).toBe(1);
    await waiting;
    expect(timers()).toBe(0);
  });

  it('starts nothing for which a start is acquired after an abort', async () => {
    const stop = new AbortController();
    const acquired = Promise.withResolvers<void>();
    const shared = { acquire: () => acquired.promise, pause: () => {} };
    const limiter = createRateLimiter({ concurrency: 1, ratePerSecond: null }, stop.signal, shared);
    let started = false;
    const running = limiter.run('campaignSummary', async () => {
      started = true;
    });
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    acquired.resolve();
    await new Promise(setImmediate);
    expect(started).toBe(false);
  });

  it('waits after an abort for work that has started, and starts no other', async () => {
    const stop = new AbortController();
    const limiter = createRateLimiter({ concurrency: 1, ratePerSecond: null }, stop.signal);
    const ending = Promise.withResolvers<void>();
    let ended = false;
    let started = false;
    const running = limiter
      .run('campaignSummary', () => ending.promise)
      .finally(() => {
        ended = true;
      });
    const waiting = limiter.run('campaignSummary', async () => {
      started = true;
    });
    await new Promise(setImmediate);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await new Promise(setImmediate);
    expect(ended).toBe(false);
    ending.resolve();
    await expect(running).rejects.toThrow('enough');
    expect(started).toBe(false);
  });
});
