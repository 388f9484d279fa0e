import { createTurns, type Turns } from './turns.ts';

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

/**
 * Waiting ends with the signal's reason once it is aborted.
 *
 * @param turns those of this process, unless others share them
 */
export function createThrottle(
  { concurrency, ratePerSecond }: ThrottleSettings,
  signal: AbortSignal,
  turns: Turns = createTurns(ratePerSecond),
): Throttle {
  const waiting: (() => void)[] = [];
  let free = concurrency;

  async function takePlace(): Promise<void> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leavePlace(): void {
    const next = waiting.shift();
    if (next) next();
    else free++;
  }

  return {
    async admit(work) {
      await takePlace();
      try {
        await turns.next(signal);
        signal.throwIfAborted();
        return await work();
      } finally {
        leavePlace();
      }
    },
    pause: turns.pause,
  };
}
