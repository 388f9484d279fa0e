import { expect, it } from 'vitest';
import { loadWindow } from '../../../src/job/windows/load-window.ts';
import type { CampaignRecord } from '../../../src/model/records.ts';
import type { WindowResponse } from '../../../src/model/window.ts';
import { databaseClock } from '../../../src/warehouse/ledger/runs.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { plainResponse } from '../../support/plain-response.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { addAccounts, client, warehouse } = await openTestWarehouse();
const accountId = (await addAccounts('north'))[0]!;
await client.query(`update warehouse.accounts set first_expected_day = '2026-03-01'`);

const records = (attempts: number): CampaignRecord[] => [
  { callsetId: 1, campaign: 'x', attempts, busies: 0, connects: 1, liveAnswers: 0, extra: {} },
];

/** Loads a response, and says whether coverage shows the day as settling. */
async function load(
  day: string,
  runDate: string,
  attempts: number | null,
  part: Partial<WindowResponse> = {},
) {
  const runId = await beginTestRun(warehouse, runDate);
  const fetchedAt = await databaseClock(warehouse);
  const window = {
    ...plainResponse(attempts === null ? [] : records(attempts)),
    accountId,
    day,
    runId,
    runDate,
    fetchedAt,
    ...part,
  };
  await loadWindow(warehouse, window, false);
  const { rows } = await client.query('select state, settling from warehouse.coverage where day = $1', [day]);
  return `${rows[0].state}${rows[0].settling ? ', settling' : ''}`;
}

const error = (attempts: number) => ({
  envelope: { rows: 1, counts: {}, remarks: [`note: half of ${attempts}`], emptyBy: null },
});

it('a confirmed day is settled once its counts were the same on two run dates, and not on one', async () => {
  expect(await load('2026-03-02', '2026-03-03', 5)).toBe('loaded, settling');
  expect(await load('2026-03-02', '2026-03-03', 5)).toBe('loaded, settling');
  expect(await load('2026-03-02', '2026-03-04', 6)).toBe('loaded, settling');
  expect(await load('2026-03-02', '2026-03-05', 6)).toBe('loaded');
  expect(await load('2026-03-02', '2026-03-06', 7)).toBe('loaded, settling');
});

it('a day that no later run fetches by itself is settled at once', async () => {
  expect(await load('2026-03-07', '2026-04-08', 5, { isOutsideCatchUp: true })).toBe('loaded');
});

it('counts of a day that was not over settle nothing, nor does a held response', async () => {
  expect(await load('2026-03-08', '2026-03-08', 5, { isOver: false })).toBe('provisional');
  expect(await load('2026-03-08', '2026-03-09', 5)).toBe('loaded, settling');
  expect(await load('2026-03-08', '2026-03-10', 9, error(9))).toBe('loaded, settling');
});
