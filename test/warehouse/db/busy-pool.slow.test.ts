import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openWarehouse } from '../../../src/warehouse/db/database.ts';
import { createDatabase } from '../../support/database.ts';

it('a statement waits for a free connection, longer than connecting may take', async () => {
  const database = await createDatabase();
  const warehouse = openWarehouse(database.url, 1);
  const slow = sql`select pg_sleep(11) is not null as done`.execute(warehouse);
  const next = sql`select true as done`.execute(warehouse);
  for (const { rows } of await Promise.all([slow, next])) expect(rows).toEqual([{ done: true }]);
  await warehouse.destroy();
  await database.drop();
});
