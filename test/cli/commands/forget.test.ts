import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installQueue } from '../../../src/queue/boss.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { openPlainSql } from '../../../src/warehouse/db/plain-sql.ts';
import { createSockets } from '../../../src/warehouse/db/sockets.ts';
import { accountTables } from '../../../src/warehouse/retention/forget-account.ts';
import type { Ended } from '../../support/callsheet.ts';
import { command } from '../../support/command.ts';
import { runNight } from '../../support/nights.ts';
import { dumpRelease } from '../../support/release-dump.ts';
import { runInProgress } from '../../support/run-in-progress.ts';
import { openWorld, type World } from '../../support/world.ts';

/**
 * Two nights of three accounts, with a digest of all and one of `valley` alone; then `valley` is gone from the settings.
 * Nothing of the simulator's is called so, but by account.
 */
let world: World;
let without: World['environment'];
let kept: Map<string, string>;
type Tables = Awaited<ReturnType<typeof dumpRelease>>['tables'];

beforeAll(async () => {
  world = await openWorld({ variants: ['hostile-records'] });
  await runNight(world, '2026-03-03', { DIGEST_TO: '', DIGESTS_FILE: await digestsFile(['valley']) });
  await runNight(world, '2026-03-04', { DIGEST_TO: '', DIGESTS_FILE: await digestsFile(['valley']) });
  await world.query(
    `update etl.deliveries set state = 'failed' where digest_id = (select max(digest_id) from etl.digests where name = 'All')`,
  );
  await world.query(
    `insert into etl.alerts (alert, title) values ('DAYS_NOT_LOADED/valley', 'valley: a day'), ('NOTHING_LOADED', 'Nothing')`,
  );
  await world.query(`update etl.runs set command = 'run --account valley' where run_id = 1`);
  await world.query(
    `update etl.runs set summary = jsonb_set(summary, '{failures}', '[{"account": "valley", "detail": "no"}, {"account": "north", "detail": "no"}]')
     where run_id = 2`,
  );
  const sql = openPlainSql(world.databaseUrl, 1, createSockets(0));
  await installQueue(sql);
  await sql.end();
  await world.query(
    `insert into etl_queue.job (name, data)
     select 'windows-dead', jsonb_build_object('task', jsonb_build_object('day', '2026-03-02', 'account', to_jsonb(a) || jsonb_build_object('id', account_id)))
     from warehouse.accounts a`,
  );
  kept = await rowsOfOthers();
  const accounts = generateDataset().accounts.filter(({ name }) => name !== 'valley');
  const file = path.join(world.folder, 'others.json');
  await writeFile(file, JSON.stringify(accounts.map(({ name, token }) => ({ name, sidtoken: token }))), {
    mode: 0o600,
  });
  without = { ...world.environment, ACCOUNTS_FILE: file, DIGEST_TO: '', DIGESTS_FILE: await digestsFile([]) };
});
afterAll(() => world.close());

async function digestsFile(alone: readonly string[]): Promise<string> {
  const file = path.join(world.folder, `digests${alone.length}.json`);
  const own = alone.map((name) => ({ name: 'Alone', to: 'ana@example.com', accounts: [name] }));
  await writeFile(file, JSON.stringify([{ name: 'All', to: 'ana@example.com' }, ...own]));
  return file;
}

/** Every row of the other accounts, by table. */
async function rowsOfOthers(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const table of accountTables) {
    const [row] = await world.query<{ rows: string }>(
      `select coalesce(json_agg(t order by t::text), '[]')::text as rows from ${table} t
       where account_id <> (select account_id from warehouse.accounts where name = 'valley' union all select 0 limit 1)`,
    );
    found.set(table, row!.rows);
  }
  return found;
}

const forget = (environment: World['environment'], ...args: string[]) =>
  command(['forget', ...args], environment);

it('forget refuses an account that the settings still have and one that nobody knows', async () => {
  const ofSettings = await forget(world.environment, '--account', 'north', '--yes');
  expect([ofSettings.code, ofSettings.stdout]).toEqual([64, '']);
  expect(ofSettings.stderr).toMatch(
    /^callsheet: account north is still in the settings \(ACCOUNTS_FILE\), and the next run would load it again: remove it there, restart npm start -- schedule and workers where they are up, then repeat this command\n$/,
  );
  const unknown = await forget(without, '--account', 'noth');
  expect([unknown.code, unknown.stdout]).toEqual([64, '']);
  expect(unknown.stderr).toContain('no account is called noth (did you mean north?); there ');
});

it('forget knows every table that has an account in it', async () => {
  const tables = await world.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where column_name like '%account_id' and table_type = 'BASE TABLE' and table_schema in ('warehouse', 'etl')
     group by 1`,
  );
  const known: readonly string[] = ['warehouse.accounts', ...accountTables];
  expect(tables.map(({ name }) => name).sort()).toEqual([...known].sort());
});

describe('forget', () => {
  const table = (stdout: string) => stdout.split('\n\n')[0];
  let besideRun: Ended;
  let preview: string;
  let before: Tables;
  let previewed: Tables;
  let after: Tables;
  let stdout: string;
  beforeAll(async () => {
    const run = await runInProgress(world.databaseUrl);
    besideRun = await forget(without, '--account', 'valley', '--yes');
    await run.release();
    before = (await dumpRelease(world.databaseUrl)).tables;
    preview = (await forget(without, '--account', 'valley')).stdout;
    previewed = (await dumpRelease(world.databaseUrl)).tables;
    stdout = (await forget(without, '--account', 'valley', '--yes')).stdout;
    after = (await dumpRelease(world.databaseUrl)).tables;
  });

  it('waits for no run that is at work: it ends with 75', () => {
    expect([besideRun.code, besideRun.stdout]).toEqual([75, '']);
    expect(besideRun.stderr).toContain('another run is at work');
  });

  it('without --yes prints how much there is, table by table, and changes nothing', () => {
    expect(preview).toMatch(/^rows +table +erased\n/);
    for (const name of ['campaign_days', 'responses', 'response_bodies', 'rejects', 'digests'])
      expect(preview).toMatch(new RegExp(`^ *[1-9][\\d,]* +etl.${name} `, 'm'));
    expect(preview).toContain(
      'Nothing is erased yet. To erase valley, for good: npm start -- forget --account valley --yes\n',
    );
    expect(previewed).toEqual(before);
  });

  it('erases the account from every table and the queue, and nothing of the others', async () => {
    expect(table(stdout)).toBe(table(preview));
    expect(stdout).toContain(
      'Erased: valley. Mail that was delivered, files, logs and backups keep what they have.\n',
    );
    const left = Object.entries(after).filter(([, rows]) => rows.includes('valley'));
    expect(left.map(([name]) => name)).toEqual([]);
    expect(await rowsOfOthers()).toEqual(kept);
    const jobs = await world.query<{ account: string }>(
      `select data -> 'task' -> 'account' ->> 'name' as account from etl_queue.job order by 1`,
    );
    expect(jobs.map(({ account }) => account)).toEqual(['coast', 'north']);
    const [bodies] = await world.query(
      `select count(*) filter (where not exists (select from etl.responses r where r.sha256 = b.sha256))::int as unused,
         (select count(*)::int from etl.responses r where not exists (select from etl.response_bodies b where b.sha256 = r.sha256)) as lost
       from etl.response_bodies b`,
    );
    expect(bodies).toEqual({ unused: 0, lost: 0 });
  });

  it('leaves in the outbox what was decided, so that nothing is sent once more: its own digests are skipped, those of others lose their message', async () => {
    const rows = await world.query<{ line: string }>(
      `select concat_ws(' ', g.name, g.day, g.state, mime is null, subject is null, reported is null, d.state, case when d.state = 'refused' then d.reply end) as line
       from etl.digests g left join etl.deliveries d using (digest_id) order by 1`,
    );
    expect(rows.map(({ line }) => line)).toEqual([
      'All 2026-03-01 skipped t t t',
      'All 2026-03-02 built t t t written',
      'All 2026-03-03 built t t t refused an account in it was erased',
      'Alone 2026-03-01 skipped t t t',
      'Alone 2026-03-02 skipped t t t',
      'Alone 2026-03-03 skipped t t t',
    ]);
  });

  it('is recorded as a run without the name of the account, and leaves what runs recorded of the others', async () => {
    const runs = await world.query(
      `select kind, command, outcome from etl.runs where kind = 'forget' or run_id = 1 order by run_id`,
    );
    expect(runs).toEqual([
      { kind: 'nightly', command: 'run', outcome: 'done' },
      { kind: 'forget', command: 'forget', outcome: 'done' },
    ]);
    const [run] = await world.query(
      `select summary -> 'failures' as failures, summary -> 'windows' is not null as counts from etl.runs where run_id = 2`,
    );
    expect(run).toEqual({ failures: [{ account: 'north', detail: 'no' }], counts: true });
  });
});
