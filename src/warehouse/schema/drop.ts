import { openWarehouse } from '../db/database.ts';

/** Drops the warehouse with all its data: for the demo, which can create its figures again. */
export async function dropSchemas(url: string): Promise<void> {
  await using db = openWarehouse(url, 1);
  for (const name of ['warehouse', 'etl']) await db.schema.dropSchema(name).ifExists().cascade().execute();
}
