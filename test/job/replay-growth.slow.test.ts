import { hash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { replay } from '../../src/job/replay.ts';
import { atInstant, never } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

const body = Buffer.from(
  '{"campaigns":1,"result":[{"callsetid":1,"campaign":"spring","attempts":5,"connects":2}]}',
);

/** An archive of an account: four responses for each of so many days. */
async function fillArchive({ query }: World, days: number): Promise<void> {
  await query(`insert into warehouse.accounts (name, label, time_zone) values ('north', 'North', 'UTC')`);
  await query(`insert into etl.runs (kind, command, run_date, host, process_id)
    values ('nightly', 'run', '2020-01-01', 'here', 1)`);
  const sha256 = hash('sha256', body, 'buffer');
  await query('insert into etl.response_bodies (sha256, size, zstd) values ($1, $2, $3)', [
    sha256,
    body.length,
    zstdCompressSync(body),
  ]);
  await query(
    `insert into etl.windows (account_id, day, state) select 1, date '2020-01-01' + n, 'failed' from generate_series(1, $1) n`,
    [days],
  );
  await query(
    `insert into etl.responses (run_id, account_id, operation, request, day, fetched_at, status, sha256, decision, day_ended, decided_at)
     select 1, 1, 'campaignSummary', '{}', date '2020-01-01' + n, at, 200, $2, 'loaded', true, at
     from generate_series(1, $1) n, generate_series(1, 4) again,
       lateral (select date '2020-01-01' + n + again * interval '1 day') t (at)`,
    [days, sha256],
  );
  await query('vacuum analyze');
}

/** How many rows a replay of everything reads. */
async function rowsRead(days: number): Promise<number> {
  const world = await openWorld();
  try {
    await fillArchive(world, days);
    await world.query('select pg_stat_force_next_flush()');
    await world.query('select pg_stat_reset()');
    const request = { command: 'replay', accounts: null, from: '2020-01-01', to: '2999-12-31' };
    const { stats } = await atInstant(world, '2026-03-15T08:00:00Z', (app) => replay(app, request, never));
    expect(stats.windows.loaded).toBe(days);
    // A session counts what it read when it ends.
    const sessions = () =>
      world.query(`select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend'`);
    await expect.poll(sessions).toEqual([]);
    const [row] = await world.query<{ read: number }>(
      `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as read from pg_stat_user_tables`,
    );
    return row!.read;
  } finally {
    await world.close();
  }
}

it('a replay reads a few rows for each response, and not the archive anew for each day', async () => {
  const days = 400;
  const responses = 4 * days;
  const read = await rowsRead(days);
  expect(read).toBeGreaterThan(responses);
  expect(read / responses).toBeLessThan(100);
});
