import { setTimeout as delay } from 'node:timers/promises';
import type { SharedRate } from './rate-limiter.ts';

/** All processes that send requests to the service reserve their starts here. */
export type StartReservations = {
  /** Reserves starts, `apartMs` apart. Returns the milliseconds until the first one. */
  reserve(starts: number, apartMs: number): Promise<number>;
  /** Allows no new reservation within so many milliseconds. */
  postpone(milliseconds: number): Promise<void>;
};

/** Later starts lapse: a process that was held up would make all of them at once. */
const maxLateMs = 20;
/** Leaves room in each second for late starts and slow requests. */
const slack = 1.05;
/** A reservation lasts a quarter of a second at most: few round trips, and a share for other processes. */
const reservationsPerSecond = 4;

/** Creates a rate that many processes share: no second has more starts than the rate. */
export function createSharedRate(
  ratePerSecond: number,
  { reserve, postpone }: StartReservations,
): SharedRate {
  const apartMs = (1_000 / ratePerSecond) * slack;
  const maxAhead = Math.max(1, Math.floor(ratePerSecond / reservationsPerSecond));
  let reserved: number[] = [];
  let reserving: Promise<void> | null = null;
  let waiting = 0;
  let notBefore = 0;

  async function reserveMore(): Promise<void> {
    const starts = Math.min(waiting, maxAhead);
    const inMs = await reserve(starts, apartMs);
    const first = performance.now() + inMs;
    reserved = Array.from({ length: starts }, (_, index) => first + index * apartMs);
  }

  async function nextStart(): Promise<number> {
    waiting++;
    try {
      while (reserved.length === 0) {
        reserving ??= reserveMore().finally(() => {
          reserving = null;
        });
        await reserving;
      }
      return reserved.shift()!;
    } finally {
      waiting--;
    }
  }

  return {
    async acquire(signal) {
      for (;;) {
        const start = await nextStart();
        await delay(Math.max(0, start - performance.now()), undefined, { signal });
        if (start >= notBefore && performance.now() - start <= maxLateMs) return;
      }
    },
    pause(milliseconds) {
      notBefore = performance.now() + milliseconds;
      reserved = [];
      // If this fails, the other processes get a 429 of their own.
      postpone(milliseconds).catch(() => {});
    },
  };
}
