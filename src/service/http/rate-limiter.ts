import PQueue from 'p-queue';
import type { ServiceResponse } from '../../model/records.ts';

export type RateLimits = {
  readonly concurrency: number;
  /** Starts per second; null for no limit. */
  readonly ratePerSecond: number | null;
};

/** Limits requests over all accounts to `CONCURRENCY` at once and to `RATE_PER_SECOND`. */
export type RateLimiter = {
  /** Runs `work` as soon as both limits allow it; campaigns before client lists. */
  run<T>(operation: ServiceResponse['operation'], work: () => Promise<T>): Promise<T>;
  /** Client lists get at most half of the concurrency limit until this is called: slow pages would take all of it, one by one. */
  endCampaigns(): void;
  /** Starts nothing for this time: the service limits all of our requests together. */
  pause(milliseconds: number): void;
};

/** A rate that several processes share. */
export type SharedRate = {
  /** Resolves when the next request may start; rejects once the signal is aborted. */
  acquire(signal: AbortSignal): Promise<void>;
  pause(milliseconds: number): void;
};

/**
 * Once the signal is aborted, waiting work rejects with its reason.
 *
 * @param sharedRate replaces the rate of this process
 */
export function createRateLimiter(
  { concurrency, ratePerSecond }: RateLimits,
  signal: AbortSignal,
  sharedRate?: SharedRate,
): RateLimiter {
  // One start per interval, in a sliding window: with a larger `intervalCap`, several would start at once.
  const rate = ratePerSecond !== null && { interval: 1_000 / ratePerSecond, intervalCap: 1, strict: true };
  const queue = new PQueue({ concurrency, ...(!sharedRate && rate) });
  // Client lists wait here first, for a place in the queue of all requests.
  const lists = new PQueue({ concurrency: Math.ceil(concurrency / 2) });
  let pausedUntil = 0;
  let resume: NodeJS.Timeout | undefined;

  /** A pause keeps the process up only if requests wait for its end. */
  function updateRef(): void {
    if (queue.size > 0) resume?.ref();
    else resume?.unref();
  }

  function pauseQueue(milliseconds: number): void {
    const until = performance.now() + milliseconds;
    if (until <= pausedUntil) return;
    pausedUntil = until;
    queue.pause();
    clearTimeout(resume);
    resume = setTimeout(() => queue.start(), milliseconds);
    updateRef();
  }

  async function start<T>(priority: number, work: () => Promise<T>): Promise<T> {
    let running: Promise<T> | undefined;
    const begin = async () => {
      await sharedRate?.acquire(signal);
      signal.throwIfAborted();
      running = work();
      return await running;
    };
    const result = queue.add(begin, { signal, priority });
    updateRef();
    try {
      return await result;
    } finally {
      updateRef();
      // An abort rejects `result` at once. Work that has started still ends before the caller goes on.
      await running?.catch(() => {});
    }
  }

  return {
    run: (operation, work) =>
      operation === 'getClients' ? lists.add(() => start(0, work), { signal }) : start(1, work),
    endCampaigns() {
      lists.concurrency = concurrency;
    },
    pause: sharedRate?.pause ?? pauseQueue,
  };
}
