import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Every } from '../../../src/model/period.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import * as read from '../../../src/warehouse/queries/figures-attention.ts';
import { readRestated } from '../../../src/warehouse/queries/figures-restated.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

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
beforeEach(() =>
  client.query(
    'truncate etl.campaign_days, warehouse.account_days, warehouse.clients, etl.windows, etl.rejects, etl.digests cascade',
  ),
);

/** The digest of the day before was built at six, this one half an hour later on the next day. */
const since = '2026-11-19 06:00:00+00';
const earlier = '2026-11-18 06:10:00+00';
const later = '2026-11-20 06:10:00+00';
const news = { since, until: null };

const digest = (
  name: string,
  on: string,
  builtAt: string,
  part: { kind?: string; state?: string; incomplete?: boolean; every?: Every } = {},
) => {
  const { kind = 'first', state = 'built', incomplete = false, every = 'day' } = part;
  return client.query(
    `insert into etl.digests (name, day, kind, state, incomplete, mime, built_at, every) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [name, on, kind, state, incomplete, state === 'built' ? '' : null, builtAt, every],
  );
};

describe('what is news', () => {
  it('begins with the last digest of that name that was built of an earlier day', async () => {
    await digest('Campaigns', '2026-11-16', earlier);
    await digest('Campaigns', '2026-11-18', since);
    await digest('Campaigns', '2026-11-18', later, { kind: 'corrected' });
    await digest('Campaigns', '2026-11-17', later, { state: 'skipped' });
    await digest('Other', '2026-11-18', later);
    // A period that is sent with another one has no news of its own.
    await digest('Campaigns', '2026-11-15', later);
    await client.query(
      `update etl.digests set sent_with = (select digest_id from etl.digests where name = 'Other') where day = '2026-11-15'`,
    );
    expect(await read.readNewsPeriod(warehouse, { name: 'Campaigns', every: 'day', day })).toEqual({
      since,
      until: null,
    });
  });

  it('begins with the last week for a week', async () => {
    await digest('Campaigns', '2026-11-18', later);
    await digest('Campaigns', '2026-11-08', earlier, { every: 'week' });
    const own = await read.readNewsPeriod(warehouse, { name: 'Campaigns', every: 'week', day: '2026-11-22' });
    expect(own).toEqual({ since: earlier, until: null });
  });

  it('ends with the day’s own digest, so that its preview is the same afterwards', async () => {
    await digest('Campaigns', day, later);
    expect(await read.readNewsPeriod(warehouse, { name: 'Campaigns', every: 'day', day })).toEqual({
      since: null,
      until: later,
    });
  });
});

describe('restated days', () => {
  /** A current row, and what it was before, if it was restated. */
  async function row(
    callsetId: number,
    now: { attempts: number; loadedAt: string; withdrawnAt?: string },
    before?: { attempts: number | null; loadedAt: string | null; restatedAt: string; reason: string },
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
    if (before)
      await client.query(
        `insert into warehouse.campaign_day_restatements (account_id, day, callset_id, restated_at, reason, attempts, busies, connects, live_answers, loaded_at)
         values (1, $1, $2, $3, $4, $5, 1, 2, 3, $6)`,
        [on, callsetId, before.restatedAt, before.reason, before.attempts, before.loadedAt],
      );
  }
  const restated = async (period: read.NewsPeriod = news, every: Every = 'day', from = day) =>
    (await readRestated(warehouse, { name: 'Campaigns', every }, [1, 2], from, period)).map(
      ({ label, day, campaigns, from, to }) => [
        ...[label, day, campaigns],
        `${from.attempts} → ${to.attempts}`,
        `${from.connects} → ${to.connects}`,
      ],
    );

  it('of a week are those before it, and what an incomplete week lacked is left to its correction', async () => {
    const week = '2026-11-23';
    const changed = { attempts: 50, loadedAt: earlier, restatedAt: later, reason: 'changed' };
    await row(1, { attempts: 70, loadedAt: later }, changed, '2026-11-17');
    await row(2, { attempts: 90, loadedAt: later }, undefined, '2026-11-18');
    await row(3, { attempts: 70, loadedAt: later }, changed, '2026-11-23');
    const first = ['North office', '2026-11-17', 1, '50 → 70', '2 → 2'];
    // In a complete week's digest a day that fills is news; a day's or a month's don't count.
    await digest('Campaigns', '2026-11-18', earlier);
    await digest('Campaigns', '2026-11-30', earlier, { every: 'month' });
    expect(await restated(news, 'week', week)).toEqual([first]);
    await digest('Campaigns', '2026-11-22', earlier, { every: 'week', incomplete: true });
    expect(await restated(news, 'week', week)).toEqual([first]);
    await client.query(`update etl.digests set incomplete = false where every = 'week'`);
    expect((await restated(news, 'week', week))[1]).toEqual([
      ...['North office', '2026-11-18', 1, '0 → 90', '0 → 2'],
    ]);
  });

  it('have their sums then and now', async () => {
    await row(1, { attempts: 100, loadedAt: earlier });
    const changed = { attempts: 50, loadedAt: earlier, restatedAt: later, reason: 'changed' };
    await row(2, { attempts: 70, loadedAt: later }, changed);
    await row(3, { attempts: 9, loadedAt: later }, { ...changed, attempts: 8 });
    // Another account's campaign with the same id changed on the same day, too.
    for (const table of ['etl.windows', 'etl.campaign_days', 'warehouse.campaign_day_restatements'])
      await client.query(
        `insert into ${table} select (jsonb_populate_record(t, '{"account_id": 2}')).* from ${table} t
         where to_jsonb(t) ->> 'callset_id' is distinct from '2'`,
      );
    expect(await restated()).toEqual([
      ['Coast office', '2026-11-17', 1, '108 → 109', '4 → 4'],
      ['North office', '2026-11-17', 2, '158 → 179', '6 → 6'],
    ]);
  });

  it('count rows that were withdrawn, returned or appeared', async () => {
    await row(
      1,
      { attempts: 100, loadedAt: earlier, withdrawnAt: later },
      { attempts: 100, loadedAt: earlier, restatedAt: later, reason: 'withdrawn' },
    );
    await row(
      2,
      { attempts: 20, loadedAt: later },
      { attempts: 20, loadedAt: earlier, restatedAt: later, reason: 'returned' },
    );
    await row(
      3,
      { attempts: 3, loadedAt: later },
      { attempts: null, loadedAt: null, restatedAt: later, reason: 'appeared' },
    );
    await row(4, { attempts: 1_000, loadedAt: earlier });
    await row(5, { attempts: 5, loadedAt: earlier, withdrawnAt: earlier });
    expect(await restated()).toEqual([['North office', '2026-11-17', 3, '1100 → 1023', '4 → 6']]);
  });

  it('compare with what the last digest reported, though a row changed twice since', async () => {
    await row(
      1,
      { attempts: 70, loadedAt: later },
      { attempts: 50, loadedAt: earlier, restatedAt: '2026-11-19 07:00+00', reason: 'changed' },
    );
    await client.query(
      `insert into warehouse.campaign_day_restatements (account_id, day, callset_id, restated_at, reason, attempts, busies, connects, live_answers, loaded_at)
       values (1, '2026-11-17', 1, '2026-11-20 05:00+00', 'changed', 60, 1, 2, 3, '2026-11-19 07:00+00')`,
    );
    expect(await restated()).toEqual([['North office', '2026-11-17', 1, '50 → 70', '2 → 2']]);
  });

  it('are not those that changed before the last digest, after this one, or that were loaded since', async () => {
    await row(
      1,
      { attempts: 70, loadedAt: earlier },
      { attempts: 50, loadedAt: '2026-11-17 06:00+00', restatedAt: earlier, reason: 'changed' },
    );
    await row(1, { attempts: 10, loadedAt: later }, undefined, '2026-11-16');
    await row(
      1,
      { attempts: 70, loadedAt: later },
      { attempts: 50, loadedAt: earlier, restatedAt: later, reason: 'changed' },
      day,
    );
    expect(await restated()).toEqual([]);
    await row(
      1,
      { attempts: 70, loadedAt: later },
      { attempts: 50, loadedAt: earlier, restatedAt: later, reason: 'changed' },
      '2026-11-15',
    );
    expect(await restated({ since, until: '2026-11-20 06:00+00' })).toEqual([]);
    expect(await restated({ since: null, until: null })).toEqual([]);
  });

  it('are none that a correction has named since: only what changed after it', async () => {
    const named = '2026-11-20 06:20:00+00';
    const change = { attempts: 50, loadedAt: earlier, restatedAt: later, reason: 'changed' };
    await row(1, { attempts: 70, loadedAt: later }, change);
    await row(2, { attempts: 9, loadedAt: earlier });
    await digest('Campaigns', '2026-11-17', earlier, { incomplete: true });
    expect(await restated()).toEqual([['North office', '2026-11-17', 1, '59 → 79', '4 → 4']]);
    await digest('Campaigns', '2026-11-17', named, { kind: 'corrected' });
    expect(await restated()).toEqual([]);
    expect(await restated({ since, until: '2026-11-20 06:15:00+00' })).toHaveLength(1);
    await row(3, { attempts: 1, loadedAt: '2026-11-20 07:00:00+00' });
    expect(await restated()).toEqual([['North office', '2026-11-17', 1, '79 → 80', '4 → 6']]);
    await client.query(`update etl.digests set name = 'Other' where kind = 'corrected'`);
    expect(await restated()).toEqual([['North office', '2026-11-17', 2, '59 → 80', '4 → 6']]);
  });

  it('are those of an empty day that was reported as complete, and fills', async () => {
    await row(1, { attempts: 70, loadedAt: later });
    expect(await restated()).toEqual([]);
    await digest('Campaigns', '2026-11-17', earlier, { incomplete: true });
    expect(await restated()).toEqual([]);
    await client.query('update etl.digests set incomplete = false');
    expect(await restated()).toEqual([['North office', '2026-11-17', 1, '0 → 70', '0 → 2']]);
  });
});

describe('days to look at', () => {
  /** Sums of a day without calls, and of the same weekday of two weeks before with some. */
  const emptyAfterBusyWeeks = (account: number, on: string) =>
    client.query(
      `insert into warehouse.account_days
         (account_id, day, campaigns, attempts, busies, connects, live_answers, provisional, loaded_at)
       select $1, $2::date - 7 * week, 0, 10 * week, 0, 0, 0, false, $3 from generate_series(0, 2) week`,
      [account, on, earlier],
    );

  it('are held ones up to the day, and suspicious ones that it is about', async () => {
    await client.query(
      `insert into etl.windows (account_id, day, state, held_hash, held_since) values
        (1, '2026-11-10', 'loaded', 'x', $1), (2, '2026-11-19', 'loaded', null, null),
        (2, '2026-11-20', 'loaded', 'x', $1)`,
      [since],
    );
    await emptyAfterBusyWeeks(1, '2026-11-10');
    await emptyAfterBusyWeeks(2, '2026-11-19');
    await emptyAfterBusyWeeks(2, '2026-11-20');
    expect(await read.readHeld(warehouse, [1, 2], day, news)).toEqual([
      { label: 'North office', day: '2026-11-10', since, isNew: false },
    ]);
    const before = { since: earlier, until: null };
    expect((await read.readHeld(warehouse, [1, 2], day, before))[0]!.isNew).toBe(true);
    expect(await read.readSuspicious(warehouse, [1, 2], [day])).toEqual([
      { label: 'Coast office', day, reason: 'no calls', detail: null },
    ]);
  });
});

describe('clients', () => {
  const clients = (
    account: number,
    ids: readonly number[],
    part: { seen?: string; absentNoted?: string; balance?: string } = {},
  ) =>
    client.query(
      `with inserted as (
         insert into warehouse.clients (account_id, client_id, name, first_seen_at, name_since, changed_at, absent_since, balance)
         select $1, id, case when id % 7 = 0 then null else 'client ' || id end, $3, $3, $3, case when $4::timestamptz is not null then timestamptz '2026-11-01' end, $5::numeric
         from unnest($2::bigint[]) id
         returning *)
       insert into etl.client_absences (account_id, client_id, missed_run_date, missed_at, noted_at)
       select account_id, client_id, '2026-11-01', absent_since, $4::timestamptz
       from inserted where absent_since is not null`,
      [account, ids, part.seen ?? earlier, part.absentNoted ?? null, part.balance ?? null],
    );

  it('are new where they were first listed since, with the first five by name', async () => {
    await clients(1, [1]);
    await clients(1, [2, 3, 4, 5, 6, 7, 8], { seen: later });
    expect(await read.readNewClients(warehouse, [1, 2], news)).toEqual([
      {
        label: 'North office',
        count: 7,
        names: ['client 2', 'client 3', 'client 4', 'client 5', 'client 6'],
      },
    ]);
    expect(await read.readNewClients(warehouse, [1, 2], { since, until: since })).toEqual([]);
  });

  it('are no news where the whole list is new, or where there was no digest before', async () => {
    await clients(2, [1, 2, 3], { seen: later });
    expect(await read.readNewClients(warehouse, [1, 2], news)).toEqual([]);
    await clients(1, [1]);
    expect(await read.readNewClients(warehouse, [1], { since: null, until: null })).toEqual([]);
  });

  it('are absent where that was recorded since, however long they have been missed', async () => {
    await clients(1, [1], { absentNoted: later });
    await clients(1, [2], { absentNoted: earlier });
    await clients(1, [3]);
    // Another account's client with the same id.
    await clients(2, [1], { absentNoted: earlier });
    expect(await read.readVanishedClients(warehouse, [1, 2], news)).toEqual([
      { label: 'North office', count: 1, names: ['client 1'] },
    ]);
  });

  it('that are new and gone again since the last digest are neither', async () => {
    await clients(1, [1]);
    await clients(1, [2], { seen: later, absentNoted: later });
    expect(await read.readNewClients(warehouse, [1], news)).toEqual([]);
    expect(await read.readVanishedClients(warehouse, [1], news)).toEqual([]);
  });

  it('are counted where their balance is below the bound, as far as they are listed', async () => {
    await clients(1, [1], { balance: '24.999' });
    await clients(2, [14], { balance: '-3.50' });
    await clients(1, [2], { balance: '25' });
    await clients(1, [3], { balance: '1', absentNoted: earlier });
    await clients(1, [4]);
    const ongoing = { count: 2, newCount: 0, lowest: [] };
    expect(await read.readLowBalances(warehouse, [1, 2], 25, news)).toEqual(ongoing);
    expect(await read.readLowBalances(warehouse, [1, 2], 25, { since: null, until: null })).toEqual(ongoing);
    expect(await read.readLowBalances(warehouse, [1, 2], null, news)).toMatchObject({ count: 0 });
  });

  it('are named where their balance fell below the bound since the last digest, the lowest first', async () => {
    await clients(1, [1, 2, 3, 4], { balance: '9' });
    await clients(1, [14], { balance: '-3.50', seen: later });
    await clients(2, [14]);
    await client.query(
      `update warehouse.clients set balance_since = $1::timestamptz::date, changed_at = $1 where client_id in (2, 3, 14)`,
      [later],
    );
    await client.query(
      `insert into etl.past_client_balances (account_id, client_id, day, balance) values
        (1, 2, '2026-01-01', 40), (1, 3, '2026-01-01', 10), (2, 14, '2026-01-01', 1)`,
    );
    expect(await read.readLowBalances(warehouse, [1], 25, news)).toEqual({
      count: 5,
      newCount: 2,
      lowest: [
        { label: 'North office', name: '#14', balance: '-3.50' },
        { label: 'North office', name: 'client 2', balance: '9' },
      ],
    });
  });
});
