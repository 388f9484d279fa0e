import { afterAll } from 'vitest';
import { openWarehouse } from '../../src/warehouse/db/database.ts';
import { createDatabase } from './database.ts';

/** Opens a migrated warehouse for the tests of one file, and drops it after them. */
export async function openTestWarehouse(connections = 2) {
  const database = await createDatabase({ template: 'migrated' });
  const warehouse = openWarehouse(database.url, connections);
  afterAll(async () => {
    await warehouse.destroy();
    await database.drop();
  });
  return { databaseUrl: database.url, warehouse };
}
