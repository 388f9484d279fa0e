import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contentHash } from '../../../src/job/windows/decide.ts';
import { loadWindow } from '../../../src/job/windows/load-window.ts';
import type { CampaignRecord } from '../../../src/model/records.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { databaseClock } from '../../../src/warehouse/ledger/runs.ts';
import { readCurrentDay, recordFailures } from '../../../src/warehouse/load/windows.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { createDatabase, lockWaits, type TestDatabase } from '../../support/database.ts';
import { plainEnvelope } from '../../support/envelope.ts';
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

async function load(
  records: readonly CampaignRecord[],
  part: {
    fetchedAt?: string;
    provisional?: boolean;
    runDate?: string;
  } = {},
) {
  const { provisional = false, runDate = '2026-03-03' } = part;
  const window = {
    accountId,
    day,
    records,
    rejects: [],
    rejectCount: 0,
    ...plainEnvelope(records),
    contentHash: contentHash(records),
    provisional,
    catchUpLeft: null,
    runId,
    runDate,
    response: serviceResponse(),
    fetchedAt: part.fetchedAt ?? (await databaseClock(warehouse)),
  };
  const { decision } = await loadWindow(warehouse, window, { accepted: false, repeatable: false });
  return decision;
}

async function ledger() {
  const entries = await sql`select * from etl.windows where account_id = ${accountId}`.execute(warehouse);
  return entries.rows[0];
}

async function rows() {
  const stored = await sql`
    select callset_id, attempts from etl.campaign_days
    where account_id = ${accountId} order by callset_id`.execute(warehouse);
  return stored.rows;
}

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
