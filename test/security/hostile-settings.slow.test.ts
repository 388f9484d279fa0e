import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPages } from '../server/site.ts';
import { command } from '../support/command.ts';
import { mailsLongAgo, openWorld, type World } from '../support/world.ts';

/** What a database or a role has as its defaults changes no figure: neither in our queries, nor in the views for BI. */

const hostile = {
  // Midnight doesn't exist there on the days on which clocks go forward.
  timezone: 'America/Santiago',
  datestyle: 'SQL, DMY',
  default_transaction_isolation: 'serializable',
  intervalstyle: 'sql_standard',
} as const;

let world: World;
let database: string;
/** What is shown under Postgres's own defaults. */
let usual: Awaited<ReturnType<typeof everythingShown>>;

beforeAll(async () => {
  world = await openWorld();
  database = new URL(world.databaseUrl).pathname.slice(1);
  const days = ['run', '--from', '2026-02-25', '--to', '2026-03-03'];
  await command(days, { ...world.environment, ...(await mailsLongAgo(world)) });
  await command(['run'], world.environment);
  // Long enough to have days on which some zone skipped midnight.
  await world.query(`update warehouse.accounts set first_expected_day = '2020-01-01'`);
  usual = await everythingShown();
});
afterAll(() => world.close());

async function everythingShown() {
  const { environment, databaseUrl, folder } = world;
  const preview = path.join(folder, 'preview');
  await command(['digest', '--day', '2026-03-02', '--preview', preview], environment);
  const files = (await readdir(preview)).filter((file) => /\.(csv|txt)$/.test(file)).sort();
  const [page, metrics] = await readPages(databaseUrl, ['/', '/metrics'], environment);
  return {
    status: (await command(['status', '--json', '--all'], environment)).stdout,
    due: (await command(['run', '--dry-run', '--from', '2026-03-03', '--to', '2026-03-04'], environment))
      .stdout,
    digest: await Promise.all(files.map((file) => readFile(path.join(preview, file), 'utf8'))),
    // Without what the clock and the machine say.
    page: page.replaceAll(/\d\d:\d\d/g, ''),
    metrics: metrics.split('\n').filter((line) => !/seconds|bytes|nodejs|process/.test(line)),
    views: await readViews(),
  };
}

/** Each view as a session of BI reads it under the settings of the database. */
async function readViews(): Promise<Record<string, string[]>> {
  const session = new pg.Client({ connectionString: world.databaseUrl });
  await session.connect();
  const views = await world.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.views
     where table_schema in ('warehouse', 'etl') order by 1`,
  );
  const contents: Record<string, string[]> = {};
  for (const { name } of views) {
    // Only values are compared: the session of the world writes all of them alike.
    await session.query(`create table public.seen as select * from ${name}`);
    const rows = await world.query<{ row: string }>(
      'select to_jsonb(s)::text as row from public.seen s order by 1',
    );
    contents[name] = rows.map(({ row }) => row);
    await world.query('drop table public.seen');
  }
  await session.end();
  return contents;
}

describe.each(Object.entries(hostile))('in a database whose %s is %s', (setting, value) => {
  beforeAll(() => world.query(`alter database ${database} set ${setting} to '${value}'`));
  afterAll(() => world.query(`alter database ${database} reset ${setting}`));

  it('commands, mail, page, metrics and views show what they show in any other', async () => {
    expect(await everythingShown()).toEqual(usual);
  });
});

it('has figures, days and views to compare', () => {
  expect(usual.views['warehouse.coverage']!.length).toBeGreaterThan(2 * 365);
  expect(usual.views['warehouse.campaign_days']!.length).toBeGreaterThan(10);
  expect(usual.digest.join().length).toBeGreaterThan(1_000);
  expect(usual.due).toMatch(/2026-03-04/);
  for (const text of [usual.status, usual.page, usual.metrics.join()]) expect(text).toContain('valley');
});
