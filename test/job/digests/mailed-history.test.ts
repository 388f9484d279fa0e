import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillHistory, fillMails, settingsOf } from '../../../bench/history.ts';
import { readState } from '../../../src/job/alerts/read-alerts.ts';
import { nightly } from '../../../src/job/nightly.ts';
import type { AppContext } from '../../../src/job/run/app-context.ts';
import { serve } from '../../server/site.ts';
import { atInstant, never, undated } from '../../support/nights.ts';
import { openWorld, type World } from '../../support/world.ts';

/* Ten digests of 400 days, of which the last is to be mailed. It counts rows, not time. */

const digests = 10;
const days = 400;
let world: World;
let settings: World['environment'];

beforeAll(async () => {
  world = await openWorld();
  await fillHistory(world.databaseUrl, digests, days);
  settings = await settingsOf(world.folder, await fillMails(world.databaseUrl, digests, days));
  await world.query('delete from etl.mails where day = current_date - 1');
});
afterAll(() => world.close());

const at = (work: (app: AppContext) => Promise<unknown>) =>
  atInstant(world, Temporal.Now.instant().toString(), work, { ...settings, RETRIES: '0' });

async function visit(route: string) {
  const site = await serve(world.databaseUrl, {}, settings);
  try {
    expect((await site.get(route)).status).toBe(200);
  } finally {
    await site.close();
  }
}

it.each([
  ['status', () => at((app) => readState(app.warehouse, app))],
  ['the page', () => visit('/')],
  ['a scrape', () => visit('/metrics')],
  [
    'a run',
    () =>
      at(async (app) => {
        const { stats } = await nightly(app, undated, never);
        expect(stats.digests.built).toBe(digests);
      }),
  ],
])('%s reads a few mails, and not those of all nights', async (_, work) => {
  await world.query('select pg_stat_force_next_flush()');
  await world.query('select pg_stat_reset()');
  await work();
  // A session counts what it read when it ends.
  const sessions = () =>
    world.query(`select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend'`);
  await expect.poll(sessions).toEqual([]);
  const read = await world.query<{ table: string; rows: number }>(
    `select relname as table, (seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as rows from pg_stat_user_tables
     where schemaname = 'etl' and relname in ('mails', 'mailed_periods', 'deliveries')`,
  );
  expect(read.length).toBe(3);
  expect(read.filter(({ rows }) => rows > (digests * days) / 4)).toEqual([]);
});
