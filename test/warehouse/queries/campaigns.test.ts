import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

it('a campaign has the name of its latest day with attempts, and spans its days with attempts', async () => {
  await client.query(`
    insert into warehouse.accounts (account_id, name, label, time_zone) overriding system value
    values (1, 'north', 'North', 'UTC'), (2, 'coast', 'Coast', 'UTC');
    insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, withdrawn_at, loaded_at)
    values
      (1, '2026-03-01', 7, 'without attempts', 0, null, now()),
      (1, '2026-03-02', 7, 'spring', 5, null, now()),
      (1, '2026-03-03', 7, 'summer', 5, null, now()),
      (1, '2026-03-04', 7, 'withdrawn', 5, now(), now()),
      (1, '2026-03-05', 7, 'not reported', null, null, now()),
      (1, '2026-03-05', 8, 'never called', 0, null, now()),
      (2, '2026-03-09', 7, 'of another account', 5, null, now())`);
  const { rows } = await client.query(
    `select account_id, callset_id::int, name, first_day::text, last_day::text from warehouse.campaigns order by 1, 2`,
  );
  expect(rows).toEqual([
    {
      account_id: 1,
      callset_id: 7,
      name: 'summer',
      first_day: '2026-03-02',
      last_day: '2026-03-03',
    },
    {
      account_id: 2,
      callset_id: 7,
      name: 'of another account',
      first_day: '2026-03-09',
      last_day: '2026-03-09',
    },
  ]);
});
