import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { transactionTime } from '../../../src/warehouse/db/expressions.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { sumUpDay } from '../../../src/warehouse/load/account-days.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

const day = '2026-03-02';
let database: TestDatabase;
let warehouse: Warehouse;
beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 1);
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

it('a day is summed up over its current campaigns, and a rate over those that report both counts', async () => {
  await sql`insert into warehouse.accounts (account_id, name, label, time_zone) overriding system value
    values (1, 'north', 'N', 'UTC')`.execute(warehouse);
  await sql`insert into etl.campaign_days
      (account_id, day, callset_id, attempts, connects, busies, withdrawn_at, loaded_at) values
    (1, ${day}, 1, 10, 5, 1, null, now()), (1, ${day}, 2, null, 100, 1, null, now()),
    (1, ${day}, 3, 50, null, 1, null, now()), (1, ${day}, 4, 1000, 1000, 1, now(), now()),
    (1, '2026-03-03', 1, 7, 7, 7, null, now())`.execute(warehouse);
  await inTransaction(warehouse, (transaction) =>
    sumUpDay(
      transaction,
      {
        accountId: 1,
        day,
        provisional: false,
        short: false,
      },
      transactionTime,
    ),
  );
  const { rows } = await sql`
    select day, campaigns, attempts, connects, busies, live_answers, connect_rate::float8, live_answer_rate, provisional
    from warehouse.account_days`.execute(warehouse);
  expect(rows).toEqual([
    {
      day,
      campaigns: 3,
      attempts: '60',
      connects: '105',
      busies: '3',
      live_answers: null,
      connect_rate: 0.5,
      live_answer_rate: null,
      provisional: false,
    },
  ]);
});
