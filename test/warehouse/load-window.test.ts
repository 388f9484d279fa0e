import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CampaignRecord } from '../../src/model/records.ts';
import { compareDay } from '../../src/planning/compare-day.ts';
import { contentHash } from '../../src/planning/content-hash.ts';
import { syncAccounts } from '../../src/warehouse/accounts.ts';
import { openWarehouse } from '../../src/warehouse/open.ts';
import { beginRun, databaseClock } from '../../src/warehouse/runs.ts';
import type { Warehouse } from '../../src/warehouse/tables.ts';
import { loadWindow } from '../../src/warehouse/windows.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const day = '2026-03-02';
let database: TestDatabase;
let warehouse: Warehouse;
let accountId: number;
let runId: number;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 4);
  runId = await beginRun(warehouse, {
    command: 'test',
    night: '2026-03-03',
    slot: null,
    host: 'here',
    processId: 1,
  });
});
beforeEach(async () => {
  const name = `account ${crypto.randomUUID().slice(0, 8)}`;
  accountId = (await syncAccounts(warehouse, [{ name, label: name, timeZone: 'UTC' }])).get(name)!;
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const campaign = (callsetId: number, attempts: number): CampaignRecord => ({
  ...{
    callsetId,
    campaign: `Campaign ${callsetId}`,
    attempts,
    busies: 0,
    connects: attempts,
    liveAnswers: 0,
  },
  extra: {},
});

async function load(records: readonly CampaignRecord[], fetchedAt?: string, provisional = false) {
  const answer = {
    ...{ accountId, day, records, rejects: [], contentHash: contentHash(records), provisional, runId },
    fetchedAt: fetchedAt ?? (await databaseClock(warehouse)),
    night: '2026-03-03',
  };
  return await loadWindow(warehouse, answer, compareDay);
}

const rows = () =>
  warehouse
    .selectFrom('warehouse.campaign_days')
    .select(['callset_id', 'attempts', 'restated_at', 'withdrawn_at'])
    .where('account_id', '=', accountId)
    .orderBy('callset_id')
    .execute();

const restatements = async () =>
  (await warehouse
    .selectFrom('warehouse.campaign_day_restatements' as never)
    .selectAll()
    .execute()) as {
    account_id: number;
    reason: string;
    attempts: number;
  }[];

describe('loading a window', () => {
  it('refuses an answer that is older than the one that stands', async () => {
    const older = await databaseClock(warehouse);
    await load([campaign(1, 10)]);
    expect(await load([campaign(1, 5)], older)).toBe('stale');
    expect(await rows()).toMatchObject([{ attempts: 10 }]);
  });

  it('keeps the newest answer, in whatever order two arrive at once', async () => {
    const [first, second] = [await databaseClock(warehouse), await databaseClock(warehouse)];
    await Promise.all([load([campaign(1, 2)], second), load([campaign(1, 1)], first)]);
    expect(await rows()).toMatchObject([{ attempts: 2 }]);
  });

  it('keeps what a finished day said before: changed, withdrawn, returned', async () => {
    await load([campaign(1, 10), campaign(2, 20), campaign(3, 30)]);
    await load([campaign(1, 11), campaign(3, 30)]);
    await load([campaign(1, 11), campaign(2, 20), campaign(3, 30)]);
    const told = (await restatements()).filter((row) => row.account_id === accountId);
    expect(told.map(({ reason, attempts }) => ({ reason, attempts }))).toEqual([
      { reason: 'changed', attempts: 10 },
      { reason: 'withdrawn', attempts: 20 },
      { reason: 'returned', attempts: 20 },
    ]);
    expect((await rows()).map((row) => row.withdrawn_at)).toEqual([null, null, null]);
  });

  it('does not call a provisional day restated when the whole day is known', async () => {
    await load([campaign(1, 10)], undefined, true);
    await load([campaign(1, 25)]);
    expect((await restatements()).filter((row) => row.account_id === accountId)).toEqual([]);
    expect(await rows()).toMatchObject([{ attempts: 25, restated_at: null }]);
  });

  it('leaves the day as it was when it fails half-way', async () => {
    await load([campaign(1, 10)]);
    const impossible = { ...campaign(2, 1), extra: { half: '\ud800' } };
    await expect(load([campaign(1, 99), impossible])).rejects.toThrow();
    expect(await rows()).toMatchObject([{ callset_id: 1, attempts: 10 }]);
  });
});
