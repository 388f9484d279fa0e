import { setTimeout as delay } from 'node:timers/promises';

/** How often, and for how long, what may pass is tried again. */
export type RetryBounds = {
  /** Further tries after the first. */
  readonly retries: number;
  /** No further try begins later than this after the first. */
  readonly budgetMs: number;
};

/** Whether an error may pass by itself; and how long the other side asks to wait, where it does. */
export type Passing = (error: unknown) => { readonly waitMs: number | null } | null;

const firstBackoffMs = 300;
const longestBackoffMs = 10_000;

/**
 * Does `work` until it ends well, with an error that won't pass, or the bounds are used up: then with the last error.
 * Between tries it waits as long as it was asked to, or a random part of a time that doubles, so that many who failed
 * together don't come back together. Waiting ends with the signal's reason once it is aborted.
 */
export async function retrying<T>(
  { retries, budgetMs }: RetryBounds,
  passing: Passing,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  for (let tried = 0; ; tried++) {
    try {
      return await work();
    } catch (error) {
      const pass = passing(error);
      if (pass === null || tried === retries || performance.now() - began >= budgetMs) throw error;
      await delay(pass.waitMs ?? backoff(tried), undefined, { signal });
    }
  }
}

function backoff(tried: number): number {
  return Math.random() * Math.min(longestBackoffMs, firstBackoffMs * 2 ** tried);
}
