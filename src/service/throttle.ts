import { setTimeout as delay } from 'node:timers/promises';

/** Holds `CONCURRENCY` and `RATE_PER_SECOND` over all accounts: one for the whole client. */
export type Throttle = {
  /** Does `work` when there is a free place and the rate allows. */
  admit<T>(work: () => Promise<T>): Promise<T>;
  /** Lets nothing new start for so many milliseconds: the service asked all of us to slow down. */
  pause(milliseconds: number): void;
};

export type ThrottleSettings = {
  readonly concurrency: number;
  /** Starts a second; null where there is no bound. */
  readonly ratePerSecond: number | null;
};

/** Waiting ends with the signal's reason once it is aborted. */
export function createThrottle(
  { concurrency, ratePerSecond }: ThrottleSettings,
  signal: AbortSignal,
): Throttle {
  const interval = ratePerSecond === null ? 0 : 1_000 / ratePerSecond;
  const waiting: (() => void)[] = [];
  let free = concurrency;
  let nextStart = 0;

  async function takePlace(): Promise<void> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leavePlace(): void {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }

  // Asked again after each wait: a pause may have come meanwhile.
  async function awaitTurn(): Promise<void> {
    for (let wait = nextStart - performance.now(); wait > 0; wait = nextStart - performance.now()) {
      await delay(wait, undefined, { signal });
    }
    nextStart = Math.max(nextStart, performance.now()) + interval;
  }

  return {
    async admit(work) {
      await takePlace();
      try {
        await awaitTurn();
        signal.throwIfAborted();
        return await work();
      } finally {
        leavePlace();
      }
    },
    pause(milliseconds) {
      nextStart = Math.max(nextStart, performance.now() + milliseconds);
    },
  };
}
