import { setTimeout as delay } from 'node:timers/promises';
import { requireSchema } from '../job/run/database.ts';
import { Failure } from '../model/errors.ts';
import type { Queries, Warehouse } from '../warehouse/db/database.ts';
import { inSnapshot } from '../warehouse/db/transaction.ts';
import { warehouseFailure } from '../warehouse/failures.ts';

const timeoutSeconds = 5;

/**
 * Reads one state of the warehouse. Throws a Failure if the database can't be reached, doesn't respond in time,
 * or has another schema than this version.
 */
export async function readWarehouse<T>(
  warehouse: Warehouse,
  work: (snapshot: Queries) => Promise<T>,
): Promise<T> {
  const reading = requireSchema(warehouse).then(() => inSnapshot(warehouse, `${timeoutSeconds}s`, work));
  const timeout = delay(timeoutSeconds * 1_000, null, { ref: false }).then((): never => {
    throw new Failure(
      'WAREHOUSE_UNAVAILABLE',
      `the database did not respond within ${timeoutSeconds} s`,
      'check that it runs, and what it is busy with',
    );
  });
  try {
    return await Promise.race([reading, timeout]);
  } catch (error) {
    throw error instanceof Failure ? error : (warehouseFailure(error) ?? error);
  }
}

/** Callers share the result of `work` that is in progress, so that many of them cost no more than one. */
export function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let inProgress: Promise<T> | null = null;
  return () => {
    inProgress ??= work().finally(() => {
      inProgress = null;
    });
    return inProgress;
  };
}
