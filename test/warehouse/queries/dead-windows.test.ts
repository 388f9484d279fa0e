import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { installQueue } from '../../../src/queue/boss.ts';
import { openPlainSql } from '../../../src/warehouse/db/plain-sql.ts';
import { deadWindows } from '../../../src/warehouse/queries/dead-windows.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { warehouse, databaseUrl } = await openTestWarehouse();
beforeAll(async () => {
  const queue = openPlainSql(databaseUrl, 1);
  await installQueue(queue);
  await queue.end();
});

it('a window whose worker died is of its own account and day, and until a later run has fetched it', async () => {
  await sql`insert into warehouse.accounts (account_id, name, label, time_zone) overriding system value
    values (1, 'north', 'North', 'UTC'), (2, 'coast', 'Coast', 'UTC'), (3, 'valley', 'Valley', 'UTC'),
      (4, 'island', 'Island', 'UTC')`.execute(warehouse);
  await sql`insert into etl.windows (account_id, day, state, fetched_at) values
    (1, '2026-03-02', 'loaded', '2026-03-03 06:30Z'), (2, '2026-03-02', 'failed', null),
    (3, '2026-03-02', 'loaded', '2026-03-04 06:30Z'), (4, '2026-03-01', 'loaded', '2026-03-04 06:30Z')`.execute(
    warehouse,
  );
  await sql`insert into etl_queue.job (name, data, created_on)
    select 'windows-dead', jsonb_build_object('task', jsonb_build_object('day', '2026-03-02', 'account', jsonb_build_object('id', id))),
      timestamptz '2026-03-03 06:31Z'
    from generate_series(1, 4) id`.execute(warehouse);
  const found = await deadWindows(warehouse);
  expect(found).toEqual([
    { account: 'coast', day: '2026-03-02', loaded: false, error: null },
    { account: 'island', day: '2026-03-02', loaded: false, error: null },
    { account: 'north', day: '2026-03-02', loaded: true, error: null },
  ]);
});
