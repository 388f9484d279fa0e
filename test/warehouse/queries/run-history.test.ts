import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { readLockHolder, takeRunLock } from '../../../src/warehouse/ledger/run-lock.ts';
import { readScheduledRun } from '../../../src/warehouse/ledger/runs.ts';
import {
  interruptedBackfillAt,
  isBackfilling,
  readNightlies,
} from '../../../src/warehouse/queries/alert-state.ts';
import { lastRuns } from '../../../src/warehouse/queries/run-history.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let warehouse: Warehouse;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 1);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await warehouse.destroy();
  await database.drop();
});

beforeEach(() => client.query('truncate etl.runs cascade'));

/** Records a run that hasn't ended, and began at that hour. */
const begin = async (kind: string, hour: number) =>
  await client.query(
    `insert into etl.runs (kind, command, run_date, host, process_id, exclusive, started_at)
     values ($1, $1, '2026-11-22', 'here', 1, $1 <> 'backfill', '2026-11-22T00:00:00Z'::timestamptz + make_interval(hours => $2))`,
    [kind, hour],
  );

const atWork = async () =>
  (await lastRuns(warehouse, 10)).filter((run) => run.atWork).map(({ command }) => command);

it('a run is running while the lock is held, unless a later one holds it; a backfill needs no lock', async () => {
  // The dated run was killed before it.
  await begin('nightly', 8);
  await begin('dated', 7);
  await begin('backfill', 6);
  expect(await atWork()).toEqual(['backfill']);
  expect(await readNightlies(warehouse)).toMatchObject([{ atWork: false }]);
  const scheduledFor = Temporal.Instant.from('2026-11-22T06:30:00Z');
  expect(await readLockHolder(warehouse)).toBeNull();
  expect(await readScheduledRun(warehouse, scheduledFor)).toMatchObject({ lockHeld: false });
  const lock = await takeRunLock(database.url);
  expect(await readLockHolder(warehouse)).not.toBeNull();
  expect(await readScheduledRun(warehouse, scheduledFor)).toMatchObject({ lockHeld: true });
  expect(await atWork()).toEqual(['backfill', 'nightly']);
  expect(await readNightlies(warehouse)).toMatchObject([{ atWork: true }]);
  await client.query(`update etl.runs set finished_at = now() where kind = 'nightly'`);
  expect(await atWork()).toEqual(['backfill']);
  await lock!.release();
});

describe('of runs that were recorded', () => {
  it('a backfill is loading history while it began or loaded a day in the last ten minutes', async () => {
    await begin('nightly', 0);
    await client.query('update etl.runs set started_at = now()');
    expect(await isBackfilling(warehouse)).toBe(false);
    await begin('backfill', 0);
    expect(await isBackfilling(warehouse)).toBe(false);
    await client.query(
      `insert into warehouse.accounts (name, label, time_zone) values ('north', 'N', 'UTC')`,
    );
    await client.query(
      `insert into etl.windows (account_id, day, state, synced_at, run_id)
       select account_id, '2026-03-02', 'loaded', now(), run_id from warehouse.accounts, etl.runs where kind = 'nightly'`,
    );
    expect(await isBackfilling(warehouse)).toBe(false);
    await client.query(
      `update etl.windows set run_id = (select run_id from etl.runs where kind = 'backfill')`,
    );
    expect(await isBackfilling(warehouse)).toBe(true);
    await client.query(`update etl.windows set synced_at = now() - interval '11 minutes'`);
    expect(await isBackfilling(warehouse)).toBe(false);
    await client.query(`update etl.runs set started_at = now() where kind = 'backfill'`);
    expect(await isBackfilling(warehouse)).toBe(true);
    await client.query(`update etl.runs set finished_at = now()`);
    expect(await isBackfilling(warehouse)).toBe(false);
  });
  it('a backfill counts as interrupted if it was stopped or killed, for a week, until a newer one ends', async () => {
    const isInterrupted = async () => (await interruptedBackfillAt(warehouse)) !== null;
    await client.query('delete from etl.windows');
    await client.query(`update etl.runs set kind = 'nightly'`);
    expect(await isInterrupted()).toBe(false);
    await begin('backfill', 0);
    const set = async (columns: string) =>
      await client.query(`update etl.runs set ${columns} where kind = 'backfill'`);
    for (const [columns, expected] of [
      ['started_at = now()', false],
      [`started_at = now() - interval '11 minutes'`, true],
      [`finished_at = now(), outcome = 'interrupted'`, true],
      [`started_at = now() - interval '8 days'`, false],
      [`started_at = now(), outcome = 'done'`, false],
    ] as const) {
      await set(columns);
      expect([columns, await isInterrupted()]).toEqual([columns, expected]);
    }
  });
});
