import { beforeEach, expect, it } from 'vitest';
import { findLockHolder, takeRunLock } from '../../../src/warehouse/ledger/run-lock.ts';
import { readScheduledRun, recordUnbegunRun } from '../../../src/warehouse/ledger/runs.ts';
import { lastRuns, readOtherRun, readRuns } from '../../../src/warehouse/queries/run-history.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { client, databaseUrl, warehouse } = await openTestWarehouse(1);

beforeEach(() => client.query('truncate etl.runs cascade'));

/** Records a run that hasn't ended, and began at that hour. */
const begin = async (kind: string, hour: number) =>
  await client.query(
    `insert into etl.runs (kind, command, run_date, host, process_id, exclusive, started_at)
     values ($1, $1, '2026-11-22', 'here', 1, $1 <> 'backfill', '2026-11-22T00:00:00Z'::timestamptz + make_interval(hours => $2))`,
    [kind, hour],
  );

const isRunning = async () =>
  (await lastRuns(warehouse, 10)).filter((run) => run.isRunning).map(({ command }) => command);

it('a run is running while the lock is held, unless a later one holds it; a backfill needs no lock', async () => {
  // The dated run was killed before it.
  await begin('nightly', 8);
  await begin('dated', 7);
  await begin('backfill', 6);
  expect(await isRunning()).toEqual(['backfill']);
  expect(await readOtherRun(warehouse, undefined)).toBeNull();
  const scheduledFor = Temporal.Instant.from('2026-11-22T06:30:00Z');
  expect(await findLockHolder(warehouse)).toBeNull();
  expect(await readScheduledRun(warehouse, scheduledFor)).toMatchObject({ lockHeld: false });
  const lock = await takeRunLock(databaseUrl);
  expect(await readScheduledRun(warehouse, scheduledFor)).toMatchObject({ lockHeld: true });
  expect(await isRunning()).toEqual(['backfill', 'nightly']);
  expect(await readOtherRun(warehouse, undefined)).toMatchObject({ kind: 'nightly' });
  await client.query(`update etl.runs set finished_at = now() where kind = 'nightly'`);
  expect(await isRunning()).toEqual(['backfill']);
  await lock!.release();
});

it('runs of every kind come with the newest first', async () => {
  for (const kind of ['nightly', 'backfill', 'nightly', 'dated']) await begin(kind, 6);
  const kinds = (await readRuns(warehouse, 10)).map(({ kind }) => kind);
  expect(kinds).toEqual(['dated', 'nightly', 'backfill', 'nightly']);
});

const unbegun = {
  command: 'run',
  number: 1,
  runDate: '2026-11-22',
  scheduledFor: null,
  retryUntil: null,
  service: null,
};

it('a run that could not begin is recorded with the time at which it was wanted, unless one has begun since', async () => {
  const start = unbegun;
  const end = { outcome: 'failed', exitCode: 69, retryAt: null, summary: {} } as const;
  for (const hoursAgo of [1, 2]) await recordUnbegunRun(warehouse, start, end, hoursAgo * 3_600_000);
  const { rows } = await client.query(
    'select extract(hour from finished_at - started_at)::integer as hours from etl.runs',
  );
  expect(rows).toEqual([{ hours: 1 }]);
});

it('of several replicas that could not begin a run, one records it, and none once another replica has done it', async () => {
  const scheduledFor = '2026-11-22T06:30:00Z';
  const failed = { outcome: 'failed', exitCode: 69, summary: {} } as const;
  // Each wanted it a little later than the one before.
  const inAMinute = Temporal.Instant.from('2026-11-22T06:31:00Z');
  const record = (number: number, msAgo: number, retryAt: Temporal.Instant | null = inAMinute) =>
    recordUnbegunRun(warehouse, { ...unbegun, scheduledFor, number }, { ...failed, retryAt }, msAgo);
  const numbers = async () => {
    const { rows } = await client.query('select number from etl.runs order by number');
    return rows.map(({ number }) => number);
  };
  for (const msAgo of [3_600_000, 3_599_000, 3_598_000]) await record(1, msAgo);
  expect(await numbers()).toEqual([1]);
  await record(2, 1_800_000, null);
  expect(await numbers()).toEqual([1, 2]);
  await record(3, 60_000);
  expect(await numbers()).toEqual([1, 2]);
});
