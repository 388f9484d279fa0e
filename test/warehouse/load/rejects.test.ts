import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { maxRejects, type Reject } from '../../../src/model/records.ts';
import { quarantine, type Rejected, readQuarantined } from '../../../src/warehouse/load/rejects.ts';
import { readMetricSamples } from '../../../src/warehouse/queries/metric-samples.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

// One session: its statistics are flushed before they are read.
const { addAccounts, warehouse } = await openTestWarehouse(1);
const accountId = (await addAccounts('north', 'coast'))[0]!;
beforeEach(async () => {
  await warehouse.deleteFrom('etl.rejects').execute();
});

const reject = (payload: string, reason = 'attempts: not a whole number'): Reject => ({
  payload,
  reason,
  id: null,
});

const rejected = (...rejects: readonly Reject[]): Rejected => ({ rejects, rejectCount: rejects.length });

/** A run of that date meets these records in the response for a day or, null, for clients. */
async function meet(runDate: string, day: string | null, ...rejects: readonly Reject[]): Promise<void> {
  const runId = await beginTestRun(warehouse, runDate);
  const operation = day === null ? 'getClients' : 'campaignSummary';
  await quarantine(warehouse, { runId, accountId, operation, day }, rejected(...rejects));
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
    expect(await readQuarantined(warehouse, '2026-03-02')).toMatchObject([{ accountId, day, records: 1 }]);
  },
);

it('a payload that Postgres could not hold, or index, is kept as text and recognized', async () => {
  const hostile = `a\0b\\x41${'9'.repeat(20_000)}`;
  await meet('2026-03-03', null, reject(hostile));
  await meet('2026-03-04', null, reject(hostile));
  const [only, ...others] = await readRejects();
  expect(others).toEqual([]);
  expect(only).toMatchObject({ run_dates: 2, payload: hostile.replace('\0', '\\u0000') });
});

it('of 99,000 records a hundred are kept, and all are counted wherever people read the number', async () => {
  const runId = await beginTestRun(warehouse, '2026-03-03');
  const source = { runId, accountId, operation: 'campaignSummary', day: '2026-03-02' };
  const rejects = Array.from({ length: maxRejects }, (_, n) => reject(`{"attempts":-${n}}`));
  await quarantine(warehouse, source, { rejects, rejectCount: 99_000 });
  expect(await readRejects()).toHaveLength(maxRejects + 1);
  expect(await readQuarantined(warehouse, '2026-03-02')).toMatchObject([
    { records: 100, example: '{"attempts":-0}' },
    { records: 98_900, reason: 'further records: 100 are kept one by one', example: null },
  ]);
  const samples = await readMetricSamples(warehouse);
  const counted = samples.filter(({ metric }) => metric === 'rejects');
  expect(counted.map(({ value }) => value)).toEqual([0, 99_000]);
});

it('a count of current rejects reads none of the past', async () => {
  await sql`
    insert into etl.rejects (account_id, operation, day, payload, payload_sha256, reason, current)
    select ${accountId}::integer, 'campaignSummary', date '2020-01-01' + n / 100, 'x', sha256(n::text::bytea), 'no', n = 1
    from generate_series(1, 20000) n`.execute(warehouse);
  await sql`vacuum (analyze) etl.rejects`.execute(warehouse);
  await sql`select pg_stat_reset_single_table_counters('etl.rejects'::regclass)`.execute(warehouse);
  await readQuarantined(warehouse, '2020-01-01');
  await readMetricSamples(warehouse);
  await sql`select pg_stat_force_next_flush()`.execute(warehouse);
  const { rows } = await sql<{ read: number }>`
    select seq_tup_read + idx_tup_fetch as read from pg_stat_all_tables where relid = 'etl.rejects'::regclass`.execute(
    warehouse,
  );
  expect(rows[0]!.read).toBeGreaterThan(0);
  expect(rows[0]!.read).toBeLessThan(1_000);
});
