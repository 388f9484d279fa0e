import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addDays } from '../../../src/model/day.ts';
import { comparedPeriods, periodOf } from '../../../src/model/period.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { readExtremeRates, readMovers } from '../../../src/warehouse/queries/figures-history.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

const day = '2026-03-30';
const period = periodOf('day', day);
const weeksBefore = (weeks: number) => addDays(day, -7 * weeks);
let database: TestDatabase;
let warehouse: Warehouse;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 1);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into warehouse.accounts (account_id, name, label, time_zone) overriding system value values
      (1, 'north', 'North', 'UTC'), (2, 'coast', 'Coast', 'UTC')`,
  );
});
beforeEach(() => client.query('truncate warehouse.account_days, etl.campaign_days cascade'));
afterAll(async () => {
  await client.end();
  await warehouse.destroy();
  await database.drop();
});

type Campaign = {
  readonly id: number;
  readonly attempts: number | null;
  readonly connects?: number;
  readonly withdrawn?: boolean;
};

async function load(
  on: string,
  campaigns: readonly Campaign[],
  provisional = false,
  account = 1,
): Promise<void> {
  const sum = campaigns.reduce((total, { attempts }) => total + (attempts ?? 0), 0);
  await client.query(
    `insert into warehouse.account_days (account_id, day, campaigns, attempts, provisional, loaded_at) values ($5, $1, $2, $3, $4, now())`,
    [on, campaigns.length, sum, provisional, account],
  );
  for (const { id, attempts, connects = 50, withdrawn = false } of campaigns)
    await client.query(
      `insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, connects, withdrawn_at, loaded_at)
       values ($6, $1, $2::int, 'Campaign ' || $2::int, $3, $4, case when $5 then now() end, now())`,
      [on, id, attempts, connects, withdrawn, account],
    );
}

const movers = async (accountIds: readonly number[] = [1]) =>
  (await readMovers(warehouse, accountIds, period, comparedPeriods(period))).map(
    ({ label, callsetId, attempts, typical }) => `${label} ${callsetId}: ${typical} → ${attempts}`,
  );

it('a mover differs by ten and by a tenth from the mean of its weekday, over whole weeks and current rows', async () => {
  await load(weeksBefore(1), [{ id: 1, attempts: 9_000 }], true);
  for (const weeks of [2, 3, 4])
    await load(weeksBefore(weeks), [
      { id: 1, attempts: 100 },
      { id: 2, attempts: 100 },
      { id: 3, attempts: 1_000 },
      { id: 4, attempts: 100 },
      { id: 6, attempts: 9_000, withdrawn: true },
    ]);
  await load(addDays(day, -1), [{ id: 1, attempts: 9_000 }]);
  // Another account has campaigns of the same ids.
  for (const weeks of [0, 1, 2]) await load(weeksBefore(weeks), [{ id: 1, attempts: 10 ** weeks }], false, 2);
  await load(day, [
    { id: 1, attempts: 150 },
    { id: 2, attempts: 109 },
    { id: 3, attempts: 1_050 },
    { id: 4, attempts: null },
    { id: 5, attempts: 700, withdrawn: true },
  ]);
  expect(await movers()).toEqual(['North 1: 100 → 150']);
  expect(await movers([1, 2])).toEqual(['Coast 1: 55 → 1', 'North 1: 100 → 150']);
});

it('a mover of a month is compared with the month before, per day with calls', async () => {
  await client.query(
    `insert into warehouse.account_days (account_id, day, campaigns, attempts, provisional, loaded_at)
     select account, day, 1, case when extract(day from day) <= calling then 1 else 0 end, false, now()
     from (values (1, date '2026-02-01', 20), (1, '2026-03-01', 10), (2, '2026-02-01', 28), (2, '2026-03-01', 31)) m (account, first, calling),
       generate_series(first, first + interval '1 month' - interval '1 day', '1 day') day`,
  );
  await client.query(
    `insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, loaded_at)
     values (1, '2026-02-02', 1, 'Spring', 2000, now()), (1, '2026-03-02', 1, 'Spring', 1500, now())`,
  );
  const month = periodOf('month', day);
  const [mover] = await readMovers(warehouse, [1], month, comparedPeriods(month));
  expect(mover).toMatchObject({ attempts: 150, typical: 100 });
});

it('the extreme rates are three of each end, of current campaigns with a hundredth of the attempts', async () => {
  await load(addDays(day, -1), [{ id: 9, attempts: 1_000_000 }]);
  await load(day, [
    ...[1, 2, 3, 4, 5, 6, 7].map((id) => ({ id, attempts: 1_000, connects: 10 * id })),
    { id: 8, attempts: 25, connects: 0 },
    { id: 9, attempts: 2_000, connects: 0, withdrawn: true },
  ]);
  const found = await readExtremeRates(warehouse, [1], period);
  expect(found.map(({ callsetId }) => callsetId)).toEqual([7, 6, 5, 3, 2, 1]);
});
