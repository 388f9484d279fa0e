import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addDays } from '../../../src/model/day.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

const today = Temporal.Now.plainDateISO('UTC').toString();
const ago = (days: number) => addDays(today, -days);

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
beforeEach(() => client.query('truncate warehouse.accounts cascade'));
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** An account with the states of its last days, the newest first; null is a day that was never attempted. */
async function account(
  name: string,
  since: string | null,
  ...states: readonly (string | null)[]
): Promise<void> {
  await client.query(
    `insert into warehouse.accounts (name, label, time_zone, since) values ($1, $1, 'UTC', $2)`,
    [name, since],
  );
  for (const [index, state] of states.entries())
    await client.query(
      `insert into etl.windows (account_id, day, state, loaded_at)
       select account_id, $2::date, $3::text, $2::date + time '06:30' from warehouse.accounts where name = $1 and $3::text is not null`,
      [name, ago(index + 1), state],
    );
}

async function freshness() {
  const { rows } = await client.query(
    `select account, complete_through::text as through, open_days::int as open,
       (last_loaded_at at time zone 'UTC')::date::text as loaded
     from warehouse.freshness order by 1`,
  );
  return rows;
}

it('an account is complete through the day before its first gap, or through yesterday', async () => {
  await account('gap', ago(4), 'loaded', 'failed', 'provisional', 'loaded');
  await account('missing', ago(3), 'loaded', null, 'loaded');
  await account('whole', ago(2), 'loaded', 'loaded');
  expect(await freshness()).toEqual([
    { account: 'gap', through: ago(4), open: 2, loaded: ago(1) },
    { account: 'missing', through: ago(3), open: 1, loaded: ago(1) },
    { account: 'whole', through: ago(1), open: 0, loaded: ago(1) },
  ]);
});

it('an account is complete through nothing while its first day is missing, or none is expected', async () => {
  await account('first missing', ago(2), 'loaded', null, 'loaded');
  await account('new', null);
  await account('from today', today, 'loaded');
  await account('once', today, null, 'loaded');
  expect(await freshness()).toEqual([
    { account: 'first missing', through: null, open: 1, loaded: ago(1) },
    { account: 'from today', through: null, open: 0, loaded: ago(1) },
    { account: 'new', through: null, open: 0, loaded: null },
    { account: 'once', through: null, open: 0, loaded: ago(2) },
  ]);
});

it('a retired account is not shown', async () => {
  await account('gone', ago(2), 'loaded', 'loaded');
  await client.query('update warehouse.accounts set until = $1', [ago(1)]);
  expect(await freshness()).toEqual([]);
});
