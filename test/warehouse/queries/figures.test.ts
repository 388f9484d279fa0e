import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/model/day.ts';
import type { DigestRow } from '../../../src/model/digest.ts';
import { daysOf } from '../../../src/model/period.ts';
import { openWarehouse, type Transaction, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { inSnapshot } from '../../../src/warehouse/db/transaction.ts';
import {
  type Days,
  readAccountTotals,
  readAsOf,
  readCompleteThrough,
  readDigestAccounts,
  readDigestCoverage,
  readTopCampaigns,
} from '../../../src/warehouse/queries/figures.ts';
import { readHistory } from '../../../src/warehouse/queries/figures-history.ts';
import { digestRowPages, readCsvColumns } from '../../../src/warehouse/queries/figures-rows.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let warehouse: Warehouse;
let client: pg.Client;
const day = '2026-11-19';
const days = { from: day, to: day };

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 2);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into warehouse.accounts (account_id, name, label, time_zone, since, client_id) overriding system value values
      (1, 'north', 'North office', 'UTC', '2026-11-10', 17), (2, 'coast', 'Coast office', 'UTC', '2026-11-10', null)`,
  );
});
afterAll(async () => {
  await client.end();
  await warehouse.destroy();
  await database.drop();
});
beforeEach(() => client.query('truncate etl.campaign_days, warehouse.account_days, etl.windows cascade'));

/** Rows of one account's day, as `[callset id, attempts]`; the other counts are parts of it. */
async function load(
  account: number,
  on: string,
  rows: readonly (readonly [number, number | null])[],
  state = 'loaded',
) {
  await client.query(
    `insert into etl.campaign_days (account_id, day, callset_id, campaign, attempts, busies, connects, live_answers, loaded_at, extra)
     select $1, $2, r.id, 'campaign ' || r.id, r.attempts, r.attempts / 10, r.attempts / 2, r.attempts / 4, now(), jsonb_build_object('cost', 1.25)
     from unnest($3::bigint[], $4::bigint[]) r (id, attempts)`,
    [account, on, rows.map(([id]) => id), rows.map(([, attempts]) => attempts)],
  );
  await client.query(
    `insert into warehouse.account_days
       (account_id, day, campaigns, attempts, busies, connects, live_answers, provisional, loaded_at)
     select $1, $2, count(*), sum(attempts), sum(busies), sum(connects), sum(live_answers), $3, now()
     from etl.campaign_days where account_id = $1 and day = $2 and withdrawn_at is null`,
    [account, on, state === 'provisional'],
  );
  await window(account, on, state);
}
const window = (account: number, on: string, state: string) =>
  client.query(
    `insert into etl.windows (account_id, day, state, fetched_at) values ($1, $2, $3, '2026-11-20 06:30+00')`,
    [account, on, state],
  );

const streamed = async (names: readonly string[], period?: Days): Promise<DigestRow[]> =>
  await inSnapshot(warehouse, '5min', (snapshot) => streamedFrom(snapshot, names, period));
const streamedFrom = async (
  from: Transaction,
  names: readonly string[],
  period: Days = days,
): Promise<DigestRow[]> =>
  (await Array.fromAsync(digestRowPages(from, await readDigestAccounts(from, names), period))).flat();

it('the accounts of a digest are in the order of the settings; one that never ran has totals, but no key', async () => {
  await load(1, day, [
    [1, 100],
    [2, null],
  ]);
  const names = ['coast', 'new', 'north'];
  expect((await readDigestAccounts(warehouse, names)).map(({ id }) => id)).toEqual([2, 1]);
  const none = {
    state: null,
    lackingDays: [day],
    campaigns: 0,
    attempts: null,
    rates: { connects: { part: null, attempts: null } },
  };
  expect(await readAccountTotals(warehouse, names, days)).toMatchObject([
    { account: 'coast', label: 'Coast office', ...none },
    { account: 'new', label: 'new', ...none },
    {
      account: 'north',
      label: 'North office',
      state: 'loaded',
      lackingDays: [],
      campaigns: 2,
      attempts: 100,
      busies: 10,
      connects: 50,
      liveAnswers: 25,
      unreported: { attempts: 1, busies: 1, connects: 1, liveAnswers: 1 },
      rates: { connects: { part: 50, attempts: 100 } },
    },
  ]);
});

it('a week lacks the days that are expected of an account and not loaded', async () => {
  const week = { from: '2026-11-09', to: '2026-11-15' };
  const [before] = await readAccountTotals(warehouse, ['north'], week);
  expect(before).toMatchObject({ state: null, lackingDays: daysOf({ from: '2026-11-10', to: week.to }) });
  for (const on of ['10', '11', '12', '14']) await load(1, `2026-11-${on}`, [[1, 10]]);
  await load(1, '2026-11-15', [[1, 10]], 'provisional');
  const [now] = await readAccountTotals(warehouse, ['north'], week);
  expect(now).toMatchObject({ state: 'provisional', lackingDays: ['2026-11-13', '2026-11-15'] });
  await window(1, '2026-11-13', 'loaded');
  await client.query(`update etl.windows set state = 'loaded'`);
  expect((await readAccountTotals(warehouse, ['north'], week))[0]).toMatchObject({ state: 'loaded' });
});

describe('the rows of a day', () => {
  it('are in the order of accounts and ids, with all that the CSV has', async () => {
    await load(1, day, [
      [9, 40],
      [3, null],
    ]);
    await load(2, day, [[5, 8]], 'provisional');
    await client.query(`update etl.campaign_days set restated_at = now() where callset_id = 9`);
    const rows = await streamed(['coast', 'north']);
    expect(rows.map(({ account, callsetId, status }) => [account, callsetId, status])).toEqual([
      ['coast', 5, 'provisional'],
      ['north', 3, 'loaded'],
      ['north', 9, 'restated'],
    ]);
    expect(rows[2]).toEqual({
      account: 'north',
      label: 'North office',
      day,
      callsetId: 9,
      campaign: 'campaign 9',
      attempts: 40,
      busies: 4,
      connects: 20,
      liveAnswers: 10,
      status: 'restated',
      extra: { cost: 1.25 },
    });
    expect(rows[1]!.attempts).toBeNull();
  });

  it('are the current ones of that day and of these accounts', async () => {
    await load(1, day, [
      [1, 10],
      [2, 20],
    ]);
    await load(1, '2026-11-18', [[1, 10]]);
    await load(2, day, [[1, 10]]);
    await client.query(`update etl.campaign_days set withdrawn_at = now() where callset_id = 2`);
    expect((await streamed(['north'])).map(({ callsetId }) => callsetId)).toEqual([1]);
  });

  it('of a longer period are day by day, each with the status of its own day', async () => {
    await load(1, day, [[1, 10]], 'provisional');
    await load(1, '2026-11-18', [
      [2, 20],
      [3, 30],
    ]);
    await load(1, '2026-11-17', [[1, 10]]);
    const rows = await streamed(['north'], { from: '2026-11-18', to: day });
    expect(rows.map((row) => [row.day, row.callsetId, row.status])).toEqual([
      ['2026-11-18', 2, 'loaded'],
      ['2026-11-18', 3, 'loaded'],
      [day, 1, 'provisional'],
    ]);
  });

  it('are all there, however many pages that takes', async () => {
    const rows = Array.from({ length: 4_501 }, (_, index) => [index + 1, index] as const);
    await load(1, day, rows);
    expect((await streamed(['north'])).map(({ callsetId }) => callsetId)).toEqual(rows.map(([id]) => id));
  });

  it('agree with the totals though the day is loaded again meanwhile', async () => {
    await load(1, day, [
      [1, 10],
      [2, 20],
    ]);
    await inSnapshot(warehouse, '5min', async (snapshot) => {
      const before = await readAccountTotals(snapshot, ['north'], days);
      await client.query(`update etl.campaign_days set attempts = 1000`);
      await client.query(`update warehouse.account_days set attempts = 2000`);
      const rows = await streamedFrom(snapshot, ['north']);
      expect(rows.reduce((sum, { attempts }) => sum + attempts!, 0)).toBe(before[0]!.attempts);
    });
    expect((await readAccountTotals(warehouse, ['north'], days))[0]!.attempts).toBe(2000);
  });
});

it('the columns of the CSV are those that have a value in the period', async () => {
  const columns = async () =>
    await readCsvColumns(warehouse, await readDigestAccounts(warehouse, ['north']), [day], ['cost', 'none']);
  await load(1, '2026-11-12', [[1, 10]]);
  await client.query(`update etl.campaign_days set extra = '{"none": 1}'`);
  await load(1, day, [[1, null]]);
  const none = { attempts: false, busies: false, connects: false, liveAnswers: false };
  expect(await columns()).toEqual({ ...none, extraFields: ['cost'] });
  await client.query('update warehouse.account_days set busies = 0');
  expect(await columns()).toEqual({ ...none, busies: true, extraFields: ['cost'] });
});

describe('the history', () => {
  const sums = { attempts: 10, busies: 1, connects: 5, liveAnswers: 2 };
  const connectRate = { part: 5, attempts: 10 };

  it('is of the days wanted, as far as they were over when they were fetched', async () => {
    for (const on of ['2026-11-20', day, '2026-10-01', '2026-09-30']) await load(1, on, [[1, 10]]);
    await load(1, '2026-11-18', [[1, 10]], 'provisional');
    await load(2, day, [[1, 10]]);
    const from = '2026-10-01';
    expect(await readHistory(warehouse, [1], { from, to: day })).toEqual([
      { account: 'north', day: from, short: false, campaigns: 1, ...sums, connectRate },
      { account: 'north', day, short: false, campaigns: 1, ...sums, connectRate },
    ]);
  });
});

it('the top campaigns are those with the most attempts over all accounts, in a settled order, by their newest name', async () => {
  await load(1, '2026-11-18', [[1, 5]]);
  await client.query(`update etl.campaign_days set campaign = 'old name'`);
  await load(1, day, [
    [1, 5],
    [2, 30],
    [3, null],
    [4, 0],
  ]);
  await load(2, day, [
    [1, 10],
    [9, 20],
  ]);
  const period = { from: '2026-11-18', to: day };
  const top = async (count: number) =>
    (await readTopCampaigns(warehouse, [1, 2], period, count)).map(
      ({ label, campaign }) => `${label}, ${campaign}`,
    );
  expect(await top(10)).toEqual([
    'North office, campaign 2',
    'Coast office, campaign 9',
    'North office, campaign 1',
    'Coast office, campaign 1',
  ]);
  expect(await top(2)).toHaveLength(2);
});

it('coverage names the days of the last 14 that are not loaded, since the first of the account', async () => {
  const missing = async (on = day) =>
    (await readDigestCoverage(warehouse, [1], { from: addDays(on, -13), to: on }))[0]!.recentlyMissing;

  for (const on of ['10', '11', '13', '15', '16', '17', '18', '19'])
    await window(1, `2026-11-${on}`, 'loaded');
  await window(1, '2026-11-12', 'failed');
  expect(await missing()).toEqual(['2026-11-12', '2026-11-14']);
  await client.query(`update etl.windows set state = 'provisional' where day = '2026-11-19'`);
  expect(await missing()).toEqual(['2026-11-12', '2026-11-14', '2026-11-19']);
  expect(await missing('2026-11-09')).toEqual([]);
  expect(await missing('2026-12-31')).toHaveLength(14);
});

it('accounts are complete through the earliest day of freshness, at most through that of the digest', async () => {
  const through = (accounts: readonly string[], on = day) => readCompleteThrough(warehouse, accounts, on);
  for (const on of ['10', '11', '13', '18', '19']) await window(1, `2026-11-${on}`, 'loaded');
  expect(await through(['north'])).toBe('2026-11-11');
  expect(await through(['north'], '2026-11-10')).toBe('2026-11-10');
  await client.query(`update warehouse.accounts set since = '2026-11-18' where account_id = 2`);
  await window(2, '2026-11-18', 'loaded');
  expect(await through(['north', 'coast'])).toBe('2026-11-11');
  await client.query(`update etl.windows set state = 'failed' where account_id = 2`);
  expect(await through(['north', 'coast'])).toBeNull();
  expect(await through(['north', 'unknown'])).toBeNull();
});

it('the day was last fetched when the newest response of its accounts was, or never', async () => {
  expect(await readAsOf(warehouse, [1, 2], days)).toBeNull();
  await window(1, day, 'loaded');
  await client.query(
    `insert into etl.windows (account_id, day, state, fetched_at) values (2, $1, 'loaded', '2026-11-20 07:00+00')`,
    [day],
  );
  expect(await readAsOf(warehouse, [1, 2], days)).toBe('2026-11-20 07:00:00+00');
});
