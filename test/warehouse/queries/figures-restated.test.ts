import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { readRestated } from '../../../src/warehouse/queries/figures-restated.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

const day = '2026-03-02';
const since = '2026-03-04T08:00:00Z';
let database: TestDatabase;
let warehouse: Warehouse;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 1);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into warehouse.accounts (account_id, name, label, time_zone) overriding system value values (1, 'north', 'North', 'UTC')`,
  );
});
beforeEach(() => client.query('truncate etl.digests, etl.windows, etl.campaign_days cascade'));
afterAll(async () => {
  await client.end();
  await warehouse.destroy();
  await database.drop();
});

/** A day of one campaign that was loaded only after the last digest. */
async function loadedLate(state = 'loaded'): Promise<void> {
  const at = '2026-03-05T06:30:00Z';
  await client.query(`insert into etl.windows (account_id, day, state, loaded_at) values (1, $1, $2, $3)`, [
    day,
    state,
    at,
  ]);
  await client.query(
    `insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, connects, loaded_at)
     values (1, $1, 7, 'Spring', 10, 4, $2)`,
    [day, at],
  );
}

async function digest(state: string, incomplete = false): Promise<void> {
  await client.query(
    `insert into etl.digests (name, day, kind, state, incomplete, built_at) values ('C', $1, 'first', $2, $3, '2026-03-03T08:00:00Z')`,
    [day, state, incomplete],
  );
}

const restated = async (from = '2026-03-05', until: string | null = null) =>
  await readRestated(warehouse, { name: 'C', every: 'day' }, [1], from, { since, until });

it('a day that a digest called complete, and that was loaded since, is news', async () => {
  await loadedLate();
  await digest('built');
  expect(await restated()).toMatchObject([{ label: 'North', day, campaigns: 1, to: { attempts: 10 } }]);
});

it('a day whose digest was skipped is no news, nor one whose digest said that it was incomplete', async () => {
  await loadedLate();
  await digest('skipped');
  expect(await restated()).toEqual([]);
  await client.query(`update etl.digests set state = 'built', incomplete = true`);
  expect(await restated()).toEqual([]);
});

it('a day of the digest itself is no news, nor one that is not over, nor one loaded after the digest', async () => {
  await loadedLate();
  await digest('built');
  expect(await restated(day)).toEqual([]);
  expect(await restated('2026-03-05', '2026-03-05T00:00:00Z')).toEqual([]);
  await client.query(`update etl.windows set state = 'provisional'`);
  expect(await restated()).toEqual([]);
});
