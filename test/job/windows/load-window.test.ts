import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contentHash, mostlyUnreported } from '../../../src/job/windows/decide.ts';
import { loadWindow } from '../../../src/job/windows/load-window.ts';
import type { CampaignRecord } from '../../../src/model/records.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { databaseClock } from '../../../src/warehouse/ledger/runs.ts';
import { readCurrentDay, recordFailures } from '../../../src/warehouse/load/windows.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { createDatabase, lockWaits, type TestDatabase } from '../../support/database.ts';
import { serviceResponse } from '../../support/service-response.ts';

const day = '2026-03-02';
let database: TestDatabase;
let warehouse: Warehouse;
let accountId: number;
let runId: number;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 4);
  runId = await beginTestRun(warehouse, '2026-03-03');
});
beforeEach(async () => {
  const name = `account ${crypto.randomUUID().slice(0, 8)}`;
  const rows = await syncAccounts(warehouse, [{ name, label: name, timeZone: 'UTC' }]);
  accountId = rows.find((row) => row.name === name)!.id;
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const campaign = (callsetId: number, attempts: number): CampaignRecord => ({
  callsetId,
  campaign: `Campaign ${callsetId}`,
  attempts,
  busies: 0,
  connects: attempts,
  liveAnswers: 0,
  extra: {},
});

type Counts = Readonly<Record<string, number>>;

async function load(
  records: readonly CampaignRecord[],
  part: {
    fetchedAt?: string;
    provisional?: boolean;
    runDate?: string;
    on?: string;
    counts?: Counts;
    /** Whether it would be requested once more because of its counts. */
    repeats?: boolean;
    catchUpLeft?: number;
  } = {},
) {
  const { provisional = false, runDate = '2026-03-03', on = day, counts = {}, catchUpLeft = null } = part;
  const envelope = { rows: records.length, counts, notice: null };
  const window = {
    accountId,
    day: on,
    records,
    rejects: [],
    rejectCount: 0,
    envelope,
    unreported: mostlyUnreported(records),
    contentHash: contentHash(records),
    provisional,
    catchUpLeft,
    runId,
    runDate,
    response: serviceResponse(),
    fetchedAt: part.fetchedAt ?? (await databaseClock(warehouse)),
  };
  const options = { accepted: false, repeatable: part.repeats ?? false };
  const { decision } = await loadWindow(warehouse, window, options);
  return decision;
}

async function ledger() {
  const entries = await sql`select * from etl.windows where account_id = ${accountId}`.execute(warehouse);
  return entries.rows[0];
}

/** What the views say against the day. */
async function suspicion(): Promise<string[]> {
  const found = await sql<{ line: string }>`
    select concat_ws(' ', reason, detail) as line from etl.suspicious_windows
    where account_id = ${accountId} and day = ${day}`.execute(warehouse);
  return found.rows.map(({ line }) => line);
}

async function coverage() {
  const found = await sql`
    select short, settling, restated from warehouse.coverage where account_id = ${accountId} and day = ${day}`.execute(
    warehouse,
  );
  return found.rows[0];
}

type Row = { callset_id: number; attempts: number; restated_at: string | null; withdrawn_at: string | null };

async function rows(): Promise<Row[]> {
  const stored = await sql<Row>`
    select callset_id, attempts, restated_at, withdrawn_at from etl.campaign_days
    where account_id = ${accountId} order by callset_id`.execute(warehouse);
  return stored.rows;
}

/** What the view says of the counts beside the campaigns of the day. */
async function announced(): Promise<unknown[]> {
  const found = await sql<{ detail: string }>`
    select detail from etl.suspicious_windows
    where account_id = ${accountId} and day = ${day} and reason = 'counts'`.execute(warehouse);
  return found.rows.map(({ detail }) => detail);
}

describe('a count beside the campaigns', () => {
  const two = [campaign(1, 10), campaign(2, 20)];
  const counted = (listed: number) => load(two, { counts: { campaigns: listed } });
  const more = { counts: { campaigns: 3 } };

  it('that was their number three times makes a day suspicious that lists fewer, and no other account’s', async () => {
    for (const on of ['2026-02-01', '2026-02-02', '2026-02-03'])
      await load(two, { on, counts: { campaigns: 2 } });
    // A response that is followed by another of the same window speaks neither for nor against the count.
    for (let time = 0; time < 3; time++) expect(await load(two, { ...more, repeats: true })).toBe('repeat');
    await load(two, more);
    expect(await announced()).toEqual(['campaigns is 3, with 2 listed']);
    const others = await syncAccounts(warehouse, [{ name: 'another', label: 'another', timeZone: 'UTC' }]);
    accountId = others.find((row) => row.name === 'another')!.id;
    await load(two, more);
    expect(await announced()).toEqual([]);
  });

  it('is trusted by the last twenty responses with two rows or more, and never holds a day', async () => {
    for (let time = 0; time < 15; time++) await counted(5);
    for (let time = 0; time < 10; time++) await counted(2);
    await load([campaign(1, 10)], { on: '2026-03-01', counts: { campaigns: 1 } });
    await load(two, more);
    expect(await announced()).toEqual([]);
    // By now ten of the last twenty disagree; after two more that agree, eight do.
    await counted(2);
    await counted(2);
    expect(await load(two, more)).toBe('apply');
    expect(await announced()).toEqual(['campaigns is 3, with 2 listed']);
  });
});

describe('loading a window', () => {
  it('does not load a response that is older than the current one', async () => {
    const older = await databaseClock(warehouse);
    await load([campaign(1, 10)]);
    expect(await load([campaign(1, 5)], { fetchedAt: older })).toBe('stale');
    expect(await rows()).toMatchObject([{ attempts: 10 }]);
  });

  it('does not load a response that was requested at the very instant of the current one', async () => {
    const fetchedAt = await databaseClock(warehouse);
    await load([campaign(1, 10)], { fetchedAt });
    expect(await load([campaign(1, 5)], { fetchedAt })).toBe('stale');
    expect(await rows()).toMatchObject([{ attempts: 10 }]);
  });

  it('keeps the newest response, in whatever order two are loaded at once', async () => {
    const [first, second] = [await databaseClock(warehouse), await databaseClock(warehouse)];
    await Promise.all([
      load([campaign(1, 2)], { fetchedAt: second }),
      load([campaign(1, 1)], { fetchedAt: first }),
    ]);
    expect(await rows()).toMatchObject([{ attempts: 2 }]);
  });

  it('goes on where the current response was recorded as fetched in the future', async () => {
    await load([campaign(1, 10)]);
    await sql`update etl.windows set fetched_at = now() + interval '3 years' where account_id = ${accountId}`.execute(
      warehouse,
    );
    expect(await load([campaign(1, 12)])).toBe('apply');
    expect(await rows()).toMatchObject([{ attempts: 12 }]);
    const older = await databaseClock(warehouse);
    await load([campaign(1, 13)]);
    expect(await load([campaign(1, 5)], { fetchedAt: older })).toBe('stale');
  });

  it('is short while it leaves out a count that days before report, though its response was fetched in the future', async () => {
    const nothingReported = [{ ...campaign(1, 10), attempts: null }];
    await load(nothingReported, { fetchedAt: '2999-01-01T00:00:00Z' });
    expect(await coverage()).toMatchObject({ short: false, settling: true });
    await load([campaign(1, 8)], { on: '2026-03-01' });
    await load([{ ...campaign(1, 10), attempts: null, busies: 1 }]);
    expect(await coverage()).toMatchObject({ short: true, settling: true });
    expect(await suspicion()).toEqual(['unreported attempts']);
    await load([campaign(1, 10)]);
    expect(await coverage()).toMatchObject({ short: false, settling: true });
    expect(await suspicion()).toEqual([]);
  });

  it('is not short where the four loaded days before it do not report that count, either', async () => {
    const unreported = (attempts: number) => [{ ...campaign(1, attempts), attempts: null }];
    await load([campaign(1, 8)], { on: '2026-02-20' });
    for (const on of ['2026-02-22', '2026-02-24', '2026-02-26', '2026-02-28'])
      await load(unreported(5), { on });
    await load([], { on: '2026-03-01' });
    await load(unreported(10));
    expect(await coverage()).toMatchObject({ short: false });
  });

  it('keeps the time of a row while its counts are the same, and sets it anew when the row returns', async () => {
    const [one, two, three] = [campaign(1, 10), campaign(2, 20), campaign(3, 30)];
    const times = async () => {
      const { rows } = await sql<{ at: string }>`select loaded_at as at from etl.campaign_days
        where account_id = ${accountId} order by callset_id`.execute(warehouse);
      return rows.map(({ at }) => at);
    };
    await load([one, two, three]);
    const before = await times();
    await load([{ ...one, campaign: 'renamed' }, two, three]);
    expect(await times()).toEqual(before);
    await load([one, three]);
    await load([one, two, three]);
    const [ofOne, ofTwo, ofThree] = await times();
    expect([ofOne, ofThree]).toEqual([before[0], before[2]]);
    expect(ofTwo! > before[1]!).toBe(true);
    await load([one, two, campaign(3, 31)]);
    expect((await times())[2]! > before[2]!).toBe(true);
  });

  it('does not settle a day that was provisional, though its counts are the same once it is over', async () => {
    await load([campaign(1, 10)], { provisional: true });
    await load([campaign(1, 10)], { runDate: '2026-03-04' });
    expect(await ledger()).toMatchObject({ state: 'loaded', same_since_run_date: '2026-03-04' });
    await load([campaign(1, 10)], { runDate: '2026-03-05' });
    expect(await ledger()).toMatchObject({
      same_since_run_date: '2026-03-04',
      synced_run_date: '2026-03-05',
    });
  });

  it('leaves the day as it was when it fails half-way', async () => {
    await load([campaign(1, 10)]);
    const impossible = { ...campaign(2, 1), extra: { half: '\ud800' } };
    await expect(load([campaign(1, 99), impossible])).rejects.toThrow();
    expect(await rows()).toMatchObject([{ callset_id: 1, attempts: 10 }]);
  });
});

it('what is current of a window is read of its own account and day', async () => {
  await load([campaign(1, 10)]);
  await load([campaign(2, 10)], { on: '2026-03-01' });
  const newer = await syncAccounts(warehouse, [{ name: 'newer', label: 'Newer', timeZone: 'UTC' }]);
  const newerId = newer.find(({ name }) => name === 'newer')!.id;
  expect(await readCurrentDay(warehouse, newerId, day)).toMatchObject({ state: 'failed', rows: [] });
  expect(await readCurrentDay(warehouse, accountId, '2026-02-28')).toMatchObject({ state: 'failed' });
  expect(await readCurrentDay(warehouse, null, day)).toMatchObject({ state: 'failed', rows: [] });
  expect(await readCurrentDay(warehouse, accountId, day)).toMatchObject({
    state: 'loaded',
    rows: [{ callsetId: 1 }],
  });
});

it('the failure of a window whose account is being erased is recorded nowhere', async () => {
  const failing: Promise<unknown[]>[] = [];
  await inTransaction(warehouse, async (transaction) => {
    await sql`delete from warehouse.accounts where account_id = ${accountId}`.execute(transaction);
    failing.push(recordFailures(warehouse, [{ accountId, day }], { code: 'REQUEST_REFUSED', detail: 'no' }));
    await lockWaits(database.url, 1);
  });
  expect(await Promise.all(failing)).toEqual([[]]);
});
