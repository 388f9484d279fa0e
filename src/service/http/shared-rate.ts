import { setTimeout as delay } from 'node:timers/promises';
import type { SharedRate } from './rate-limiter.ts';

/** Where the processes that send requests to the service reserve their starts. */
export type StartReservations = {
  /** Reserves so many starts, so far apart; returns in how many milliseconds the first of them is. */
  reserve(starts: number, apartMs: number): Promise<number>;
  /** No start can be reserved any more that is sooner. */
  postpone(milliseconds: number): Promise<void>;
};

/** A later start has lapsed: a process that was held up would otherwise start all of them at once. */
const maxLateMs = 20;
/** Room in each second for late starts, and for requests that take a while to arrive. */
const slack = 1.05;
/** Starts are reserved for at most a quarter of a second: few round trips, and the other processes get their share. */
const reservationsPerSecond = 4;

/** A rate that many processes share: never more starts in any second than the rate. */
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
      // Where that fails, the other processes get a 429 of their own.
      postpone(milliseconds).catch(() => {});
    },
  };
}
