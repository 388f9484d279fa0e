import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { warehouse } = await openTestWarehouse(1);

it('a statement waits for a free connection, longer than connecting may take', async () => {
  const slow = sql`select pg_sleep(11) is not null as done`.execute(warehouse);
  const next = sql`select true as done`.execute(warehouse);
  for (const { rows } of await Promise.all([slow, next])) expect(rows).toEqual([{ done: true }]);
});
