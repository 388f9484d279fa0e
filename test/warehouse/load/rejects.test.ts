import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Reject } from '../../../src/model/records.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { quarantine, releaseReadable } from '../../../src/warehouse/load/rejects.ts';
import { readQuarantine } from '../../../src/warehouse/queries/quarantine.ts';
import { accountStatuses } from '../../../src/warehouse/queries/status.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let warehouse: Warehouse;
let accountId: number;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 2);
  accountId = (await syncAccounts(warehouse, [{ name: 'north', label: 'North', timeZone: 'UTC' }]))[0]!.id;
});
beforeEach(async () => {
  await warehouse.deleteFrom('etl.rejects').execute();
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const reject = (payload: string, reason = 'attempts: not a whole number'): Reject => ({
  payload,
  reason,
  id: null,
});

/** A run of that date meets these records in the response for a day or, null, for clients. */
async function meet(runDate: string, day: string | null, ...rejects: readonly Reject[]): Promise<void> {
  const runId = await beginTestRun(warehouse, runDate);
  const operation = day === null ? 'getClients' : 'campaignSummary';
  await quarantine(warehouse, { runId, accountId, operation, day }, rejects);
}

const readRejects = () =>
  warehouse
    .selectFrom('etl.rejects')
    .select([
      'day',
      'payload',
      'reason',
      'run_dates',
      'last_run_date',
      'first_rejected_at',
      'last_rejected_at',
    ])
    .orderBy('day')
    .orderBy('payload')
    .execute();

it.each([['2026-03-02'], [null]])(
  'a record of %s that comes every night is one reject, with its times and nights',
  async (day) => {
    await meet('2026-03-03', day, reject('{"attempts":-1}'), reject('{"attempts":-1}'));
    await meet('2026-03-03', day, reject('{"attempts":-1}'));
    await meet('2026-03-04', day, reject('{"attempts":-1}'));
    await meet('2026-03-06', day, reject('{"attempts":-1}', 'attempts: negative'));
    const [only, ...others] = await readRejects();
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      day,
      run_dates: 3,
      last_run_date: '2026-03-06',
      reason: 'attempts: negative',
    });
    expect(only!.first_rejected_at < only!.last_rejected_at).toBe(true);
    expect(await accountStatuses(warehouse)).toMatchObject([{ quarantined: 1 }]);
    expect(await readQuarantine(warehouse, 9)).toMatchObject([{ records: 1, runDates: 3, day }]);
  },
);

it('a record with another payload is another reject, as is the same one of another day', async () => {
  await meet('2026-03-03', '2026-03-02', reject('{"attempts":-1}'));
  await meet('2026-03-04', '2026-03-02', reject('{"attempts":-2}'));
  await meet('2026-03-04', '2026-03-03', reject('{"attempts":-2}'));
  await meet('2026-03-04', null, reject('{"attempts":-2}'));
  expect((await readRejects()).map(({ day, payload, run_dates }) => [day, payload, run_dates])).toEqual([
    ['2026-03-02', '{"attempts":-1}', 1],
    ['2026-03-02', '{"attempts":-2}', 1],
    ['2026-03-03', '{"attempts":-2}', 1],
    [null, '{"attempts":-2}', 1],
  ]);
});

it('a payload that Postgres could not hold, or index, is kept as text and recognized', async () => {
  const hostile = `a\0b\\x41${'9'.repeat(20_000)}`;
  await meet('2026-03-03', null, reject(hostile));
  await meet('2026-03-04', null, reject(hostile));
  const [only, ...others] = await readRejects();
  expect(others).toEqual([]);
  expect(only).toMatchObject({ run_dates: 2, payload: hostile.replace('\0', '\\u0000') });
});

it('what can be read by now leaves the quarantine of its account, day and operation alone', async () => {
  const names = ['north', 'coast'];
  const rows = await syncAccounts(
    warehouse,
    names.map((name) => ({ name, label: name, timeZone: 'UTC' })),
  );
  const coast = rows.find(({ name }) => name === 'coast')!.id;
  const fetchedAt = '2026-03-02T06:30:00Z';
  const [read, unread] = [reject('{"attempts":-1}'), reject('{"attempts":-2}')];
  const days = ['2026-03-01', '2026-03-02'];
  for (const day of days) await meet('2026-03-03', day, read, unread);
  await meet('2026-03-03', null, read);
  const runId = await beginTestRun(warehouse, '2026-03-03');
  const source = { accountId: coast, operation: 'campaignSummary', day: days[0]! };
  await quarantine(warehouse, { ...source, runId }, [read]);
  await releaseReadable(warehouse, { ...source, accountId, fetchedAt }, [unread]);
  const left = await warehouse
    .selectFrom('etl.rejects')
    .select(['account_id as id', 'day', 'payload'])
    .orderBy('account_id')
    .orderBy('day')
    .orderBy('payload')
    .execute();
  expect(left).toEqual([
    { id: accountId, day: days[0], payload: unread.payload },
    { id: accountId, day: days[1], payload: read.payload },
    { id: accountId, day: days[1], payload: unread.payload },
    { id: accountId, day: null, payload: read.payload },
    { id: coast, day: days[0], payload: read.payload },
  ]);
});
