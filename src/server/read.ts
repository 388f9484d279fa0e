import { setTimeout as delay } from 'node:timers/promises';
import { requireSchema } from '../job/run/database.ts';
import { Failure } from '../model/failure.ts';
import type { Queries, Warehouse } from '../warehouse/db/database.ts';
import { inSnapshot } from '../warehouse/db/transaction.ts';
import { warehouseFailure } from '../warehouse/failures.ts';

const patienceMs = 5_000;

/**
 * Reads one state of the warehouse. Throws a Failure where the database can't be reached, doesn't answer in time,
 * or has another schema than this version.
 */
export async function readWarehouse<T>(
  warehouse: Warehouse,
  work: (snapshot: Queries) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const reading = requireSchema(warehouse).then(() => inSnapshot(warehouse, '5s', work));
  const tooLong = delay(patienceMs, null, { signal: stop.signal }).then(() => {
    throw silent();
  });
  tooLong.catch(() => {});
  reading.catch(() => {});
  try {
    return await Promise.race([reading, tooLong]);
  } catch (error) {
    throw error instanceof Failure ? error : (warehouseFailure(error) ?? error);
  } finally {
    stop.abort();
  }
}

function silent(): Failure {
  return new Failure(
    'warehouse unavailable',
    `the database did not answer within ${patienceMs / 1_000} s`,
    'check that it runs, and what it is busy with',
  );
}

/** Lets those who call while `work` is in progress share its result, so that many of them are no burden. */
export function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | null = null;
  return () => {
    underWay ??= work().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
