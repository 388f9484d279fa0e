import type { Warehouse } from '../../src/warehouse/db/database.ts';
import { beginRun } from '../../src/warehouse/ledger/runs.ts';

/** Records a nightly run that has the run date and the run lock, as far as the ledger knows; returns its id. */
export async function beginTestRun(warehouse: Warehouse, runDate: string): Promise<number> {
  return await beginRun(warehouse, {
    kind: 'nightly',
    command: 'test',
    service: null,
    runDate,
    scheduledFor: null,
    number: 1,
    retryUntil: null,
    exclusive: true,
  });
}
