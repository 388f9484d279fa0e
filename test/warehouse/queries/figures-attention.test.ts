import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Every } from '../../../src/model/period.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import * as read from '../../../src/warehouse/queries/figures-attention.ts';
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
    const north = {
      label: 'North office',
      count: 7,
      names: ['client 2', 'client 3', 'client 4', 'client 5', 'client 6'],
    };
    expect(await read.readNewClients(warehouse, [1, 2], news)).toEqual([north]);
    // Another account has clients of the same ids.
    await clients(2, [1]);
    await clients(2, [3], { seen: later });
    await clients(2, [2], { seen: later, absentNoted: later });
    const coast = { label: 'Coast office', count: 1, names: ['client 3'] };
    expect(await read.readNewClients(warehouse, [1, 2], news)).toEqual([coast, north]);
    expect(await read.readNewClients(warehouse, [1], news)).toEqual([north]);
    expect(await read.readNewClients(warehouse, [1, 2], { since, until: since })).toEqual([]);
  });

  it('are no news where the whole list is new, or where there was no digest before', async () => {
    await clients(2, [1, 2, 3], { seen: later });
    await clients(1, [1]);
    expect(await read.readNewClients(warehouse, [1, 2], news)).toEqual([]);
    expect(await read.readNewClients(warehouse, [1], { since: null, until: null })).toEqual([]);
  });

  it('are absent where that was recorded since, however long they have been missed', async () => {
    await clients(1, [1], { absentNoted: later });
    await clients(1, [2], { absentNoted: earlier });
    await clients(1, [3]);
    expect(await read.readVanishedClients(warehouse, [1, 2], news)).toEqual([
      { label: 'North office', count: 1, names: ['client 1'] },
    ]);
    expect(await read.readVanishedClients(warehouse, [1, 2], { since: earlier, until: since })).toEqual([]);
    // Listed again: its absence stays recorded until a walk is complete.
    await client.query('update warehouse.clients set absent_since = null where client_id = 1');
    expect(await read.readVanishedClients(warehouse, [1, 2], news)).toEqual([]);
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
    // Another account has clients of the same ids.
    await clients(2, [3], { balance: '90' });
    await client.query(
      `update warehouse.clients set balance_since = $1::timestamptz::date, changed_at = $1 where client_id in (2, 3, 14)`,
      [later],
    );
    await client.query(
      `insert into etl.past_client_balances (account_id, client_id, day, balance) values
        (1, 2, '2026-01-01', 40), (1, 3, '2026-01-01', 10), (2, 3, '2026-01-02', 40)`,
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
