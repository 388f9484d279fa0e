import pg from 'pg';
import { afterAll } from 'vitest';
import { openWarehouse } from '../../src/warehouse/db/database.ts';
import { syncAccounts } from '../../src/warehouse/ledger/accounts.ts';
import { createDatabase } from './database.ts';

/** Opens a migrated warehouse for the tests of one file, and drops it after them. */
export async function openTestWarehouse(connections = 2) {
  const database = await createDatabase({ template: 'migrated' });
  const warehouse = openWarehouse(database.url, connections);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  afterAll(async () => {
    await client.end();
    await warehouse.destroy();
    await database.drop();
  });
  return {
    databaseUrl: database.url,
    warehouse,
    /** A connection besides those of the warehouse. */
    client,
    /** Adds accounts that are in UTC. Returns their ids, in this order. */
    async addAccounts(...names: readonly string[]): Promise<number[]> {
      const added = names.map((name) => ({ name, label: name, timeZone: 'UTC' }));
      const rows = await syncAccounts(warehouse, added);
      return names.map((name) => rows.find((row) => row.name === name)!.id);
    },
  };
}
