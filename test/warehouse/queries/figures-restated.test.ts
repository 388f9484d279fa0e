import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Every } from '../../../src/model/period.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import type { NewsPeriod } from '../../../src/warehouse/queries/figures-attention.ts';
import { readRestated } from '../../../src/warehouse/queries/figures-restated.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

/* What changed of the days before a digest of 19 November, since that of the day before was built. */

let database: TestDatabase;
let warehouse: Warehouse;
let client: pg.Client;
const day = '2026-11-19';

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 1);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into warehouse.accounts (account_id, name, label, time_zone, since) overriding system value values
      (1, 'north', 'North office', 'UTC', '2026-11-01'), (2, 'coast', 'Coast office', 'UTC', '2026-11-01')`,
  );
});
afterAll(async () => {
  await client.end();
  await warehouse.destroy();
  await database.drop();
});
beforeEach(() => client.query('truncate etl.campaign_days, etl.windows, etl.digests cascade'));

const since = '2026-11-19 06:00:00+00';
const earlier = '2026-11-18 06:10:00+00';
const later = '2026-11-20 06:10:00+00';
const news = { since, until: null };

const digest = (
  on: string,
  builtAt: string,
  part: { kind?: string; incomplete?: boolean; every?: Every } = {},
) => {
  const { kind = 'first', incomplete = false, every = 'day' } = part;
  return client.query(
    `insert into etl.digests (name, day, kind, state, incomplete, mime, built_at, every)
     values ('Campaigns', $1, $2, 'built', $3, '', $4, $5)`,
    [on, kind, incomplete, builtAt, every],
  );
};

type Before = { attempts: number | null; loadedAt: string | null; restatedAt: string; reason: string };

/** A current row, and what it was before, if it was restated. */
async function row(
  callsetId: number,
  now: { attempts: number; loadedAt: string; withdrawnAt?: string },
  before?: Before,
  on = '2026-11-17',
) {
  await client.query(
    `insert into etl.windows (account_id, day, state, loaded_at) values (1, $1, 'loaded', $2) on conflict do nothing`,
    [on, later],
  );
  await client.query(
    `insert into etl.campaign_days (account_id, day, callset_id, attempts, busies, connects, live_answers, loaded_at, withdrawn_at, restated_at)
     values (1, $1, $2, $3, 1, 2, 3, $4, $5, $6)`,
    [on, callsetId, now.attempts, now.loadedAt, now.withdrawnAt ?? null, before?.restatedAt ?? null],
  );
  if (before) await restatement(callsetId, before, on);
}
const restatement = (callsetId: number, before: Before, on = '2026-11-17') =>
  client.query(
    `insert into warehouse.campaign_day_restatements (account_id, day, callset_id, restated_at, reason, attempts, busies, connects, live_answers, loaded_at)
     values (1, $1, $2, $3, $4, $5, 1, 2, 3, $6)`,
    [on, callsetId, before.restatedAt, before.reason, before.attempts, before.loadedAt],
  );

/** A row that was loaded before the last digest with 50 attempts, and changed since. */
const now = { attempts: 70, loadedAt: later };
const before: Before = { attempts: 50, loadedAt: earlier, restatedAt: later, reason: 'changed' };

const restated = async (period: NewsPeriod = news, every: Every = 'day', from = day) =>
  (await readRestated(warehouse, { name: 'Campaigns', every }, [1, 2], from, period)).map(
    ({ label, day, campaigns, from, to }) => [
      ...[label, day, campaigns],
      `${from.attempts} → ${to.attempts}`,
      `${from.connects} → ${to.connects}`,
    ],
  );

it('of a day that changed, its sums are compared: rows that changed, were withdrawn, returned or appeared, and those that stayed', async () => {
  const same = { attempts: 100, loadedAt: earlier };
  await row(1, { ...same, withdrawnAt: later }, { ...before, attempts: 100, reason: 'withdrawn' });
  await row(2, { attempts: 20, loadedAt: later }, { ...before, attempts: 20, reason: 'returned' });
  await row(
    3,
    { attempts: 3, loadedAt: later },
    { ...before, attempts: null, loadedAt: null, reason: 'appeared' },
  );
  await row(4, { attempts: 1_000, loadedAt: earlier });
  await row(5, { attempts: 5, loadedAt: earlier, withdrawnAt: earlier });
  await row(6, now, before);
  // Another account's campaign with the same id changed on the same day, too.
  for (const table of ['etl.windows', 'etl.campaign_days', 'warehouse.campaign_day_restatements'])
    await client.query(
      `insert into ${table} select (jsonb_populate_record(t, '{"account_id": 2}')).* from ${table} t
       where coalesce((to_jsonb(t) ->> 'callset_id')::int, 6) = 6`,
    );
  expect(await restated()).toEqual([
    ['Coast office', '2026-11-17', 1, '50 → 70', '2 → 2'],
    ['North office', '2026-11-17', 4, '1150 → 1093', '6 → 8'],
  ]);
});

it('a row that changed twice is compared with what the last digest reported', async () => {
  await row(1, now, { ...before, restatedAt: '2026-11-19 07:00+00' });
  await restatement(1, {
    attempts: 60,
    loadedAt: '2026-11-19 07:00+00',
    restatedAt: '2026-11-20 05:00+00',
    reason: 'changed',
  });
  expect(await restated()).toEqual([['North office', '2026-11-17', 1, '50 → 70', '2 → 2']]);
});

it('no news are changes before the last digest or after this one, of its own day, or where there was no digest', async () => {
  await row(
    1,
    { attempts: 70, loadedAt: earlier },
    { ...before, loadedAt: '2026-11-17 06:00+00', restatedAt: earlier },
  );
  await row(1, { attempts: 10, loadedAt: later }, undefined, '2026-11-16');
  await row(1, now, before, day);
  expect(await restated()).toEqual([]);
  await row(1, now, before, '2026-11-15');
  expect(await restated({ since, until: '2026-11-20 06:00+00' })).toEqual([]);
  expect(await restated({ since: null, until: null })).toEqual([]);
});

it('what a correction named since is no news: only what changed after it', async () => {
  await row(1, now, before);
  await row(2, { attempts: 9, loadedAt: earlier });
  await digest('2026-11-17', earlier, { incomplete: true });
  expect(await restated()).toEqual([['North office', '2026-11-17', 1, '59 → 79', '4 → 4']]);
  await digest('2026-11-17', '2026-11-20 06:20:00+00', { kind: 'corrected' });
  expect(await restated()).toEqual([]);
  expect(await restated({ since, until: '2026-11-20 06:15:00+00' })).toHaveLength(1);
  await row(3, { attempts: 1, loadedAt: '2026-11-20 07:00:00+00' });
  expect(await restated()).toEqual([['North office', '2026-11-17', 1, '79 → 80', '4 → 6']]);
  await client.query(`update etl.digests set name = 'Other' where kind = 'corrected'`);
  expect(await restated()).toEqual([['North office', '2026-11-17', 2, '59 → 80', '4 → 6']]);
});

it('an empty day that fills is news where a digest called it complete, and once it is over', async () => {
  await row(1, now);
  expect(await restated()).toEqual([]);
  await digest('2026-11-17', earlier, { incomplete: true });
  expect(await restated()).toEqual([]);
  await client.query(`update etl.digests set incomplete = false, state = 'skipped', mime = null`);
  expect(await restated()).toEqual([]);
  await client.query(`update etl.digests set state = 'built'`);
  expect(await restated()).toEqual([['North office', '2026-11-17', 1, '0 → 70', '0 → 2']]);
  await client.query(`update etl.windows set state = 'provisional'`);
  expect(await restated()).toEqual([]);
});

it('of a week, days before it are news; what an incomplete week lacked is left to its correction', async () => {
  const week = '2026-11-23';
  await row(1, now, before, '2026-11-17');
  await row(2, { attempts: 90, loadedAt: later }, undefined, '2026-11-18');
  await row(3, now, before, week);
  const first = ['North office', '2026-11-17', 1, '50 → 70', '2 → 2'];
  // In a complete week's digest a day that fills is news; a day's or a month's don't count.
  await digest('2026-11-18', earlier);
  await digest('2026-11-30', earlier, { every: 'month' });
  expect(await restated(news, 'week', week)).toEqual([first]);
  await digest('2026-11-22', earlier, { every: 'week', incomplete: true });
  expect(await restated(news, 'week', week)).toEqual([first]);
  await client.query(`update etl.digests set incomplete = false where every = 'week'`);
  expect((await restated(news, 'week', week))[1]).toEqual([
    'North office',
    '2026-11-18',
    1,
    '0 → 90',
    '0 → 2',
  ]);
});
