import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { followCampaigns } from '../../../src/warehouse/load/campaigns.ts';
import { createDatabase, lockWaits, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let warehouse: Warehouse;
let ids: Record<string, number>;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 3);
  const rows = await syncAccounts(
    warehouse,
    ['north', 'coast'].map((name) => ({ name, label: name, timeZone: 'UTC' })),
  );
  ids = Object.fromEntries(rows.map(({ name, id }) => [name, id]));
});
beforeEach(async () => {
  await sql`truncate etl.windows, warehouse.campaign_days, warehouse.campaigns cascade`.execute(warehouse);
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

/** A day of an account is loaded: these campaigns made attempts on it, and no others any more. */
async function load(account: string, day: string, ...campaigns: readonly number[]): Promise<void> {
  await sql`delete from warehouse.campaign_days
    where account_id = ${ids[account]} and day = ${day}`.execute(warehouse);
  await sql`insert into warehouse.campaign_days (account_id, day, callset_id, campaign, attempts, loaded_at)
    select ${ids[account]}, ${day}, id, ${account} || ' ' || id, 1, now()
    from unnest(${campaigns}::integer[]) id`.execute(warehouse);
  await sql`insert into etl.windows (account_id, day, state, campaigns_due) values (${ids[account]}, ${day}, 'loaded', true)
    on conflict (account_id, day) do update set campaigns_due = true`.execute(warehouse);
}

async function spans(account: string): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', name, 'from', first_day, 'to', last_day) as line
    from warehouse.campaigns where account_id = ${ids[account]} order by callset_id`.execute(warehouse);
  return rows.map(({ line }) => line);
}

const spanOfBoth = '2 from 2026-03-02 to 2026-03-05';

it('the span of a campaign is that of its own account’s days', async () => {
  for (const account of ['north', 'coast']) {
    await load(account, '2026-03-02', 1, 2);
    await load(account, '2026-03-05', 1, 2);
  }
  await followCampaigns(warehouse);
  expect(await spans('coast')).toEqual([
    'coast 1 from 2026-03-02 to 2026-03-05',
    'coast 2 from 2026-03-02 to 2026-03-05',
  ]);
  await load('north', '2026-03-05', 2);
  await followCampaigns(warehouse);
  expect(await spans('north')).toEqual(['north 1 from 2026-03-02 to 2026-03-02', `north ${spanOfBoth}`]);
  await load('north', '2026-03-02', 2);
  await followCampaigns(warehouse);
  expect(await spans('north')).toEqual([`north ${spanOfBoth}`]);
  expect(await spans('coast')).toEqual(['coast 1 from 2026-03-02 to 2026-03-05', `coast ${spanOfBoth}`]);
});

it('a campaign that only another account has is followed by that one alone', async () => {
  await load('coast', '2026-03-02', 1, 3);
  await followCampaigns(warehouse);
  await load('north', '2026-03-02', 1);
  await load('coast', '2026-03-03', 3);
  await followCampaigns(warehouse);
  expect(await spans('north')).toEqual(['north 1 from 2026-03-02 to 2026-03-02']);
  expect(await spans('coast')).toEqual([
    'coast 1 from 2026-03-02 to 2026-03-02',
    'coast 3 from 2026-03-02 to 2026-03-03',
  ]);
});

it('where one account can’t be followed, its days stay due, and no day of it is taken for another’s', async () => {
  await load('north', '2026-03-02', 1);
  for (const account of ['north', 'coast']) await load(account, '2026-03-03', 1);
  const failing = sql`alter table warehouse.campaigns add constraint fails check (name <> 'north 1')`;
  await failing.execute(warehouse);
  const failed: string[] = [];
  try {
    await followCampaigns(warehouse, (_, account) => failed.push(account));
  } finally {
    await sql`alter table warehouse.campaigns drop constraint fails`.execute(warehouse);
  }
  expect(failed).toEqual(['north']);
  expect(await spans('coast')).toEqual(['coast 1 from 2026-03-03 to 2026-03-03']);
  const { rows } = await sql`select day from etl.windows where campaigns_due`.execute(warehouse);
  expect(rows).toEqual([{ day: '2026-03-02' }, { day: '2026-03-03' }]);
  await followCampaigns(warehouse);
  expect(await spans('north')).toEqual(['north 1 from 2026-03-02 to 2026-03-03']);
});

it('a span grows to both sides, and shrinks to the days that still have attempts', async () => {
  const followed = async () => {
    await followCampaigns(warehouse);
    return await spans('north');
  };
  await load('north', '2026-03-05', 1);
  expect(await followed()).toEqual(['north 1 from 2026-03-05 to 2026-03-05']);
  await load('north', '2026-03-02', 1);
  expect(await followed()).toEqual(['north 1 from 2026-03-02 to 2026-03-05']);
  await load('north', '2026-03-02');
  expect(await followed()).toEqual(['north 1 from 2026-03-05 to 2026-03-05']);
  await load('north', '2026-03-07', 1);
  await sql`update warehouse.campaign_days set attempts = 0 where day = '2026-03-07'`.execute(warehouse);
  await load('north', '2026-03-08', 1);
  await sql`update warehouse.campaign_days set withdrawn_at = now() where day = '2026-03-08'`.execute(
    warehouse,
  );
  expect(await followed()).toEqual(['north 1 from 2026-03-05 to 2026-03-05']);
  await load('north', '2026-03-05', 1);
  await sql`update warehouse.campaign_days set campaign = 'renamed' where day = '2026-03-05'`.execute(
    warehouse,
  );
  expect(await followed()).toEqual(['renamed from 2026-03-05 to 2026-03-05']);
});

it.each(['attempts = 0', 'withdrawn_at = now()'])(
  'a campaign ends with its last day before one of %s, and is none without any',
  async (change) => {
    await load('north', '2026-03-02', 1);
    await load('north', '2026-03-05', 1);
    await followCampaigns(warehouse);
    const left = ['north 1 from 2026-03-02 to 2026-03-02'];
    for (const [day, expected] of [
      ['2026-03-05', left],
      ['2026-03-02', []],
    ] as const) {
      await sql`update warehouse.campaign_days set ${sql.raw(change)} where day = ${day}`.execute(warehouse);
      await sql`update etl.windows set campaigns_due = true where day = ${day}`.execute(warehouse);
      await followCampaigns(warehouse);
      expect(await spans('north')).toEqual(expected);
    }
  },
);

it('a load waits until the campaigns follow its window, and marks it again', async () => {
  await load('north', '2026-03-02', 1);
  await load('north', '2026-03-03', 1);
  await followCampaigns(warehouse);
  await sql`update etl.windows set campaigns_due = true where day = '2026-03-02'`.execute(warehouse);
  const waiting: Promise<unknown>[] = [];
  await inTransaction(warehouse, async (transaction) => {
    // The campaigns can't be written yet.
    await sql`lock table warehouse.campaigns in share mode`.execute(transaction);
    waiting.push(followCampaigns(warehouse));
    await lockWaits(database.url, 1);
    const day = sql`update etl.windows set campaigns_due = true where day = '2026-03-02'`;
    waiting.push(day.execute(warehouse));
    await lockWaits(database.url, 2);
    await sql`insert into etl.windows (account_id, day, state, campaigns_due)
      values (${ids.north}, '2026-03-04', 'loaded', true)`.execute(transaction);
  });
  await Promise.all(waiting);
  const { rows } = await sql`select day from etl.windows where campaigns_due order by day`.execute(warehouse);
  expect(rows).toEqual([{ day: '2026-03-02' }, { day: '2026-03-04' }]);
});
