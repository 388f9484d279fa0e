import { setTimeout as delay } from 'node:timers/promises';
import { requireSchema } from '../job/run/database.ts';
import { Failure } from '../model/errors.ts';
import type { Queries, Warehouse } from '../warehouse/db/database.ts';
import { inSnapshot } from '../warehouse/db/transaction.ts';
import { warehouseFailure } from '../warehouse/failures.ts';

const timeoutSeconds = 5;

/**
 * Reads one state of the warehouse. Throws a Failure if the database can't be reached, or has another schema than this
 * version. Its statements end after five seconds each, so that no connection stays in use.
 */
export async function readWarehouse<T>(
  warehouse: Warehouse,
  work: (snapshot: Queries) => Promise<T>,
): Promise<T> {
  try {
    return await inSnapshot(warehouse, `${timeoutSeconds}s`, async (snapshot) => {
      await requireSchema(snapshot);
      return await work(snapshot);
    });
  } catch (error) {
    throw error instanceof Failure ? error : (warehouseFailure(error) ?? error);
  }
}

export type SharedReadsOptions = {
  /** How many different keys are read at once; further ones are refused. */
  readonly maxAtOnce: number;
  /** For how long a result is given to further callers, in milliseconds. */
  readonly keepMs: number;
};

/** Thrown for one more key than are read at once. */
export class Busy extends Error {}

/**
 * Callers share what is read for a key, while it is read and shortly after: many of them cost no more than one. Throws a
 * Busy for a key too many, and a Failure where the result takes longer than five seconds; the read itself goes on then,
 * and no second one is begun beside it.
 */
export function shareReads<T>(
  read: (key: string) => Promise<T>,
  { maxAtOnce, keepMs }: SharedReadsOptions,
): (key: string) => Promise<T> {
  const inProgress = new Map<string, Promise<T>>();
  const kept = new Map<string, T>();

  async function begin(key: string): Promise<T> {
    try {
      const result = await read(key);
      if (keepMs > 0) keep(key, result);
      return result;
    } finally {
      inProgress.delete(key);
    }
  }

  function keep(key: string, result: T): void {
    kept.set(key, result);
    // Results take no more memory than reads in progress.
    if (kept.size > maxAtOnce) kept.delete(kept.keys().next().value!);
    setTimeout(() => kept.delete(key), keepMs).unref();
  }

  return async (key) => {
    const before = kept.get(key);
    if (before !== undefined) return before;
    if (!inProgress.has(key) && inProgress.size >= maxAtOnce) throw new Busy();
    const reading = inProgress.get(key) ?? begin(key);
    inProgress.set(key, reading);
    return await inTime(reading);
  };
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  const timeout = new AbortController();
  const late = delay(timeoutSeconds * 1_000, null, { ref: false, signal: timeout.signal }).then((): never => {
    throw new Failure('WAREHOUSE_UNAVAILABLE', `the database did not respond within ${timeoutSeconds} s`, {
      advice: 'check that it runs, and what it is busy with',
    });
  });
  // It is only waited for beside the read.
  late.catch(() => {});
  try {
    return await Promise.race([reading, late]);
  } finally {
    timeout.abort();
  }
}
