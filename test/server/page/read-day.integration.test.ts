import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadWindow } from '../../../src/job/windows/load-window.ts';
import { readHeldFigures } from '../../../src/job/windows/read-held.ts';
import { contentHash, mostlyUnreported } from '../../../src/planning/decide-load.ts';
import { parseArchived } from '../../../src/service/response/parse-response.ts';
import { campaignSummarySchema } from '../../../src/service/response/schema.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { databaseClock } from '../../../src/warehouse/ledger/runs.ts';

import { readQuarantinedRecords } from '../../../src/warehouse/queries/quarantine.ts';
import { readRestatements } from '../../../src/warehouse/queries/restatements.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { serviceResponse } from '../../support/service-response.ts';

const day = '2026-03-02';
let database: TestDatabase;
let warehouse: Warehouse;
let accountId: number;
let runId: number;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 2);
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

type Counts = { readonly attempts: number | null; readonly connects: number | null };

const campaign = (callsetid: number | string, { attempts, connects }: Counts) => ({
  callsetid,
  campaign: `Campaign ${callsetid}`,
  attempts,
  busies: 1,
  connects,
  liveanswers: 2,
});

/** Loads a response with these campaigns, as a run does, and archives its body. */
async function load(runDate: string, ...result: readonly object[]): Promise<string> {
  const body = JSON.stringify({ campaigns: result.length, reports: result.length, result });
  const { records, rejects, rows, counts } = parseArchived(body, campaignSummarySchema);
  const envelope = { rows, counts, notice: null };
  const window = {
    accountId,
    day,
    records,
    rejects,
    envelope,
    unreported: mostlyUnreported(records),
    contentHash: contentHash(records),
    provisional: false,
    catchUpLeft: null,
    runId,
    runDate,
    response: serviceResponse(body),
    fetchedAt: await databaseClock(warehouse),
  };
  const { decision } = await loadWindow(warehouse, window, { accepted: false, repeatable: false });
  return decision;
}

const some = (attempts: number | null, connects: number | null = 5) => ({ attempts, connects });
const five = [1, 2, 3, 4, 5].map((id) => campaign(id, some(100)));

describe('a held response', () => {
  it('is read again from the archive, with its sums and the reason for which it is held', async () => {
    await load('2026-03-03', ...five);
    expect(await readHeldFigures(warehouse, { accountId, day })).toBeNull();
    expect(await load('2026-03-04', campaign(1, some(9_007_199_254_740_991)))).toBe('hold');
    expect(await readHeldFigures(warehouse, { accountId, day })).toMatchObject({
      campaigns: 1,
      attempts: '9007199254740991',
      connects: '5',
      busies: '1',
      liveAnswers: '2',
      because: 'it lacks 4 of 5 campaigns',
    });
  });

  it('is the newest one; a count that none of its campaigns reports is none, and not 0', async () => {
    await load('2026-03-03', ...five);
    await load('2026-03-04', campaign(1, some(10)));
    expect(await load('2026-03-04', ...five.map((each) => ({ ...each, attempts: null })))).toBe('hold');
    expect(await readHeldFigures(warehouse, { accountId, day })).toMatchObject({
      campaigns: 5,
      attempts: null,
      connects: '25',
      because: 'it leaves attempts unreported for 5 of 5 campaigns',
    });
    expect(await load('2026-03-04')).toBe('hold');
    expect(await readHeldFigures(warehouse, { accountId, day })).toMatchObject({
      campaigns: 0,
      attempts: '0',
      because: 'it would empty a day of 5 campaigns',
    });
  });
});

it('each restatement has its counts before and after it, newest first, through a withdrawal and a return', async () => {
  const others = five.slice(1);
  await load('2026-03-03', campaign(1, some(100)), ...others);
  await load('2026-03-04', campaign(1, some(120)), ...others);
  await load('2026-03-05', ...others);
  await load('2026-03-06', { ...campaign(1, some(90)), campaign: 'Renamed' }, ...others);
  const restated = await readRestatements(warehouse, { accountId, day }, 10);
  const seen = restated.map(({ reason, campaign, before, after, restatements }) => ({
    reason,
    campaign,
    attempts: [before?.attempts, after?.attempts],
    restatements,
  }));
  expect(seen).toEqual([
    { reason: 'returned', campaign: 'Renamed', attempts: [undefined, 90], restatements: 3 },
    { reason: 'withdrawn', campaign: 'Renamed', attempts: [120, undefined], restatements: 3 },
    { reason: 'changed', campaign: 'Renamed', attempts: [100, 120], restatements: 3 },
  ]);
  expect(await readRestatements(warehouse, { accountId, day }, 1)).toMatchObject([{ reason: 'returned' }]);
});

it('a quarantined record is shown until a later response has it in a form that can be read', async () => {
  const records = async () => await readQuarantinedRecords(warehouse, { accountId, day }, 10);
  await load('2026-03-03', ...five, campaign('nine', some(7)));
  expect(await records()).toMatchObject([
    { reason: expect.stringContaining('callsetid'), payload: expect.stringContaining('"nine"'), records: 1 },
  ]);
  await load('2026-03-04', ...five, campaign(9, some(7)));
  expect(await records()).toEqual([]);
});
