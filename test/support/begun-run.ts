import type { Warehouse } from '../../src/warehouse/db/database.ts';
import { beginRun } from '../../src/warehouse/ledger/runs.ts';

/** The id of a nightly run of that run date, which holds the lock for all that the ledger knows. */
export async function beginTestRun(warehouse: Warehouse, runDate: string): Promise<number> {
  return await beginRun(warehouse, {
    kind: 'nightly',
    command: 'test',
    runDate,
    scheduledFor: null,
    number: 1,
    retryUntil: null,
    host: 'here',
    processId: 1,
    exclusive: true,
  });
}
