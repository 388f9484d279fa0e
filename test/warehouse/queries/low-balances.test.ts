import { beforeAll, beforeEach, expect, it } from 'vitest';
import { readLowBalances } from '../../../src/warehouse/queries/figures-attention.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { client, warehouse } = await openTestWarehouse(1);
beforeAll(async () => {
  await client.query(
    `insert into warehouse.accounts (account_id, name, label, time_zone, first_expected_day) overriding system value values
      (1, 'north', 'North office', 'UTC', '2026-11-01'), (2, 'coast', 'Coast office', 'UTC', '2026-11-01')`,
  );
});
beforeEach(() => client.query('truncate warehouse.clients cascade'));

const earlier = '2026-11-18 06:10:00+00';
const later = '2026-11-20 06:10:00+00';
/** The last digest was built in between. */
const news = '2026-11-19 06:00:00+00';

const insert = (account: number, id: number, balance: string | null, changedAt = earlier, isAbsent = false) =>
  client.query(
    `insert into warehouse.clients
       (account_id, client_id, name, first_seen_at, renamed_at, updated_at, balance, balance_first_day, absent_at)
     select $1, $2::bigint, 'client ' || $2::bigint, $3, $3, $4::timestamptz, $5::numeric, $4::timestamptz::date,
       case when $6::boolean then timestamptz '2026-11-01' end`,
    [account, id, earlier, changedAt, balance, isAbsent],
  );
const insertPast = (account: number, id: number, balance: number, day = '2026-01-01') =>
  client.query(
    `insert into etl.past_client_balances (account_id, client_id, day, balance, next_day, replaced_at) values ($1, $2, $3, $4, $3::date + 1, now())`,
    [account, id, day, balance],
  );

it('balances below the bound are counted if their clients are listed', async () => {
  await insert(1, 1, '24.999');
  await insert(2, 2, '-3.50');
  await insert(1, 3, '25');
  await insert(1, 4, null);
  await insert(1, 5, '1', earlier, true);
  const ongoing = { count: 2, newCount: 0, lowest: [] };
  expect(await readLowBalances(warehouse, [1, 2], 25, news)).toEqual(ongoing);
  expect(await readLowBalances(warehouse, [1, 2], 25, null)).toEqual(ongoing);
  expect(await readLowBalances(warehouse, [1, 2], null, news)).toMatchObject({ count: 0 });
});

it('balances that fell below the bound since the last digest are named, the lowest first', async () => {
  await insert(1, 1, '9');
  await insert(1, 2, '9', later);
  await insertPast(1, 2, 25);
  await insert(1, 3, '9', later);
  await insertPast(1, 3, 10);
  await insert(1, 4, '-3.50', later);
  // On the day of the last digest: one after it, one before.
  await insert(1, 5, '9', '2026-11-19 06:10:00+00');
  await insert(1, 6, '9', later);
  await insertPast(1, 6, 40);
  await insertPast(1, 6, 10, '2026-11-19');
  // Another account has a client of the same id.
  await insert(2, 3, '90');
  await insertPast(2, 3, 40);
  expect(await readLowBalances(warehouse, [1], 25, news)).toEqual({
    count: 6,
    newCount: 3,
    lowest: [
      { label: 'North office', name: 'client 4', balance: '-3.50' },
      { label: 'North office', name: 'client 2', balance: '9' },
      { label: 'North office', name: 'client 5', balance: '9' },
    ],
  });
});
