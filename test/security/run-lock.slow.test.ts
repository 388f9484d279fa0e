import { readdir } from 'node:fs/promises';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeRunLock } from '../../src/warehouse/ledger/run-lock.ts';
import { callsheet, ended, startCallsheet } from '../support/callsheet.ts';
import { createDatabase } from '../support/database.ts';
import { createStranger, type TestRole } from '../support/role.ts';
import { openWorld, type World } from '../support/world.ts';

/** Other roles and other sessions of the same database can't end a night unseen. */

let world: World;
let stranger: TestRole;
const clients: pg.Client[] = [];
beforeEach(async () => {
  world = await openWorld();
  stranger = await createStranger();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  await world.close();
  await stranger.drop();
});

async function connected(url: string, application = 'psql'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: application });
  client.on('error', () => {});
  await client.connect();
  clients.push(client);
  return client;
}

const day = ['run', '--day', '2026-03-02'];

it('a role that may only connect can hold advisory locks, and no lock that a run needs', async () => {
  const other = await connected(stranger.url(world.databaseUrl));
  // The number that earlier versions locked.
  await other.query(
    'select pg_advisory_lock(2255743381), pg_advisory_lock(k) from generate_series(0, 500) k',
  );
  await other.query('select pg_advisory_lock(a, b) from generate_series(0, 20) a, generate_series(0, 20) b');
  for (const mode of ['access share', 'row exclusive', 'exclusive']) {
    await expect(other.query(`begin; lock table etl.run_lock in ${mode} mode`)).rejects.toThrow(
      /permission denied/,
    );
    await other.query('rollback');
  }
  expect(await callsheet(day, world.environment)).toMatchObject({ code: 0 });
});

it('a session that is no run and holds the lock is reported, with what to do, and alerted', async () => {
  const idle = await connected(world.databaseUrl, 'forgotten console');
  await idle.query('begin; lock table etl.run_lock in share mode');
  const environment = { ...world.environment, ALERT_TO: 'ops@example.com' };
  const { code, stderr } = await callsheet(day, environment);
  expect(code).toBe(69);
  expect(stderr).toContain(
    'no run can start: another session of Postgres holds the run lock, and no run is recorded as running: ',
  );
  const [ends] = /select pg_terminate_backend.+granted/.exec(stderr)!;
  expect((await readdir(world.outbox)).filter((file) => file.startsWith('alert'))).toHaveLength(1);
  // A table has the same number in each database that was copied from the same one.
  const elsewhere = await createDatabase({ template: 'migrated' });
  const other = await connected(elsewhere.url);
  await other.query('begin; lock table etl.run_lock in share mode');
  const isEnded = new Promise((resolve) => idle.once('end', resolve));
  await world.query(ends);
  await isEnded;
  expect((await other.query('select 1')).rowCount).toBe(1);
  await elsewhere.drop();
  expect(await callsheet(day, world.environment)).toMatchObject({ code: 0 });
});

it('neither idle_in_transaction_session_timeout nor a transaction_timeout ends the lock, and it holds up no vacuum', async () => {
  const name = new URL(world.databaseUrl).pathname.slice(1);
  // Postgres has the second one since version 17.
  const timeouts = await world.query<{ name: string }>(
    `select name from pg_settings where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`,
  );
  expect(timeouts).not.toEqual([]);
  for (const timeout of timeouts) await world.query(`alter database ${name} set ${timeout.name} to '200ms'`);
  const lock = await takeRunLock(world.databaseUrl);
  const forgotten = await connected(world.databaseUrl);
  await forgotten.query('begin');
  await new Promise((resolve) => forgotten.once('end', resolve));
  expect(lock!.lost.aborted).toBe(false);
  expect(await takeRunLock(world.databaseUrl)).toBeNull();
  const nightly = await connected(world.databaseUrl, 'vacuumdb');
  await nightly.query("set lock_timeout = '60s'");
  await nightly.query('vacuum (analyze)');
  const holders = await world.query(
    `select backend_xid, backend_xmin from pg_stat_activity join pg_locks using (pid) 
     where relation = 'etl.run_lock'::regclass
       and database = (select oid from pg_database where datname = current_database())`,
  );
  expect(holders).toEqual([{ backend_xid: null, backend_xmin: null }]);
  await lock!.release();
});

it('migrate says that it waits while another session holds the lock of migrations, and goes on when it is free', async () => {
  const other = await connected(stranger.url(world.databaseUrl), 'prankster');
  await other.query('select pg_advisory_lock(3853314791062309107)');
  const child = startCallsheet(['migrate'], world.environment);
  let logged = '';
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      logged += chunk;
      if (logged.includes('migrate is still running, or waits for another')) resolve();
    });
  });
  await other.query('select pg_advisory_unlock_all()');
  expect(await ended(child)).toMatchObject({ code: 0 });
});
