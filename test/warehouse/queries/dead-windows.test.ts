import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installQueue } from '../../../src/queue/boss.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { openPlainSql } from '../../../src/warehouse/db/plain-sql.ts';
import { createSockets } from '../../../src/warehouse/db/sockets.ts';
import { deadWindows } from '../../../src/warehouse/queries/dead-windows.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let warehouse: Warehouse;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 1);
  const plain = openPlainSql(database.url, 1, createSockets(0));
  await installQueue(plain);
  await plain.end();
  await sql`insert into warehouse.accounts (account_id, name, label, time_zone, until) overriding system value
    values (1, 'north', 'N', 'UTC', null), (2, 'coast', 'C', 'UTC', null), (3, 'gone', 'G', 'UTC', '2026-01-01')`.execute(
    warehouse,
  );
  await sql`insert into etl_queue.job (name, data, source_output, created_on)
    select name, jsonb_build_object('task', jsonb_build_object('day', day, 'account', jsonb_build_object('id', id))),
      jsonb_build_object('message', 'lost ' || day), '2026-03-04T07:00:00Z'
    from (values ('windows-dead', 1, '2026-03-02'), ('windows-dead', 1, '2026-03-03'), ('windows-dead', 2, '2026-03-02'),
      ('windows-dead', 3, '2026-03-02'), ('windows', 1, '2026-03-01')) as j (name, id, day)`.execute(
    warehouse,
  );
  await sql`insert into etl.windows (account_id, day, state, fetched_at) values
    (1, '2026-03-02', 'loaded', '2026-03-04T06:00:00Z'), (1, '2026-03-03', 'loaded', '2026-03-04T08:00:00Z'),
    (2, '2026-03-03', 'failed', null)`.execute(warehouse);
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

it('a window that no worker finished is dead until its own account has fetched it since', async () => {
  expect(await deadWindows(warehouse)).toEqual([
    { account: 'coast', day: '2026-03-02', loaded: false, said: 'lost 2026-03-02' },
    { account: 'north', day: '2026-03-02', loaded: true, said: 'lost 2026-03-02' },
  ]);
});
