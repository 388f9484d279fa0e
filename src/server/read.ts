import { requireSchema } from '../job/run/database.ts';
import { Failure } from '../model/errors.ts';
import type { Queries, Warehouse } from '../warehouse/db/database.ts';
import { inSnapshot } from '../warehouse/db/transaction.ts';
import { warehouseFailure } from '../warehouse/failures.ts';

/**
 * Reads one snapshot of the warehouse. Throws a Failure if the database can't be reached, or if its schema
 * isn't this version's. Each statement ends after five seconds, so that no connection stays in use.
 */
export async function readWarehouse<T>(
  warehouse: Warehouse,
  work: (snapshot: Queries) => Promise<T>,
): Promise<T> {
  try {
    return await inSnapshot(warehouse, '5s', async (snapshot) => {
      await requireSchema(snapshot);
      return await work(snapshot);
    });
  } catch (error) {
    throw error instanceof Failure ? error : (warehouseFailure(error) ?? error);
  }
}
