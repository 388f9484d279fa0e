import { setTimeout as delay } from 'node:timers/promises';
import type { Turns } from './turns.ts';

/** What all processes that ask the service agree on. */
export type Agreement = {
  /** Reserves so many starts, so far apart; gives in how many milliseconds the first of them comes. */
  reserve(starts: number, apartMs: number): Promise<number>;
  /** Lets nobody reserve a start that comes sooner. */
  postpone(milliseconds: number): Promise<void>;
};

/** A start that is later than this has lapsed: those of a process that was held up would come all at once. */
const lateMs = 20;
/** Room in each second for starts that come late, and for requests that are under way for a while. */
const slack = 1.05;
/** Starts are reserved for a quarter of a second at most: long enough to seldom ask, short enough to share. */
const aheadPerSecond = 4;

/** Turns that many processes take, never more in any second than the rate. */
export function createSharedTurns(ratePerSecond: number, { reserve, postpone }: Agreement): Turns {
  const apartMs = (1_000 / ratePerSecond) * slack;
  const maxAhead = Math.max(1, Math.floor(ratePerSecond / aheadPerSecond));
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

  async function take(): Promise<number> {
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
    async next(signal) {
      for (;;) {
        const start = await take();
        signal.throwIfAborted();
        const wait = start - performance.now();
        if (wait > 0) await delay(wait, undefined, { signal });
        if (start >= notBefore && performance.now() - start <= lateMs) return;
      }
    },
    pause(milliseconds) {
      notBefore = performance.now() + milliseconds;
      reserved = [];
      // Who can't be told finds out by itself: the service tells each that comes too soon.
      postpone(milliseconds).catch(() => {});
    },
  };
}
