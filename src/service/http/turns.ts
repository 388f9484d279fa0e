import { setTimeout as delay } from 'node:timers/promises';

/** When the next request may start. */
export type Turns = {
  /** Resolves at its turn; rejects with the signal's reason once it is aborted. */
  next(signal: AbortSignal): Promise<void>;
  /** Lets nothing start for so many milliseconds. */
  pause(milliseconds: number): void;
};

/** Turns of this process by itself; `ratePerSecond` is null where there is no bound. */
export function createTurns(ratePerSecond: number | null): Turns {
  const interval = ratePerSecond === null ? 0 : 1_000 / ratePerSecond;
  let nextStart = 0;
  return {
    // Asked again after each wait: a pause may have come meanwhile.
    async next(signal) {
      for (let wait = nextStart - performance.now(); wait > 0; wait = nextStart - performance.now()) {
        await delay(wait, undefined, { signal });
      }
      nextStart = Math.max(nextStart, performance.now()) + interval;
    },
    pause(milliseconds) {
      nextStart = Math.max(nextStart, performance.now() + milliseconds);
    },
  };
}
