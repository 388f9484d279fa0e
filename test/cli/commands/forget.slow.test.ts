import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installQueue } from '../../../src/queue/boss.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { openPlainSql } from '../../../src/warehouse/db/plain-sql.ts';
import { createSockets } from '../../../src/warehouse/db/sockets.ts';
import { accountTables } from '../../../src/warehouse/retention/forget-account.ts';
import { callsheet } from '../../support/callsheet.ts';
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
  callsheet(['forget', ...args], environment);

describe('forget refuses', () => {
  it('an account that the settings still have, and says what to do', async () => {
    const ended = await forget(world.environment, '--account', 'valley', '--yes');
    expect([ended.code, ended.stdout]).toEqual([64, '']);
    expect(ended.stderr).toMatch(
      /^callsheet: account valley is still in the settings \(ACCOUNTS_FILE\), and the next run would load it again: remove it there, restart npm start -- schedule and workers where they are up, then repeat this command\n$/,
    );
  });

  it('an account that nobody knows, and names those that are known', async () => {
    const ended = await forget(without, '--account', 'vally');
    expect([ended.code, ended.stdout]).toEqual([64, '']);
    expect(ended.stderr).toContain('no account is called vally (did you mean valley?); there are');
  });

  it('while another run is at work', async () => {
    const run = await runInProgress(world.databaseUrl);
    const ended = await forget(without, '--account', 'valley', '--yes');
    await run.release();
    expect([ended.code, ended.stdout]).toEqual([75, '']);
    expect(ended.stderr).toContain('another run is at work');
  });
});

describe('forget', () => {
  const table = (stdout: string) => stdout.split('\n\n')[0];
  let preview: string;

  it('without --yes prints how much there is, table by table, and changes nothing', async () => {
    const before = (await dumpRelease(world.databaseUrl)).tables;
    const ended = await forget(without, '--account', 'valley');
    expect(ended.code).toBe(0);
    preview = ended.stdout;
    expect(preview).toMatch(/^rows +table +erased\n/);
    for (const name of [
      'etl.campaign_days',
      'etl.responses',
      'etl.response_bodies',
      'etl.rejects',
      'etl.digests',
    ])
      expect(preview).toMatch(new RegExp(`^ *[1-9][\\d,]* +${name} `, 'm'));
    expect(preview).toContain(
      'Nothing is erased yet. To erase valley, for good: npm start -- forget --account valley --yes\n',
    );
    expect((await dumpRelease(world.databaseUrl)).tables).toEqual(before);
  });

  it('erases the account from every table, and nothing of the others', async () => {
    const ended = await forget(without, '--account', 'valley', '--yes');
    expect([ended.code, table(ended.stdout)]).toEqual([0, table(preview)]);
    expect(ended.stdout).toContain(
      'Erased: valley. Mail that was delivered, files, logs and backups keep what they have.\n',
    );
    const { tables } = await dumpRelease(world.databaseUrl);
    expect(
      Object.entries(tables)
        .filter(([, rows]) => rows.includes('valley'))
        .map(([name]) => name),
    ).toEqual([]);
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

  it('leaves in the outbox what was decided: its own digests are skipped, those of others lose their message', async () => {
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

  it('is recorded as a run, without the name of the account', async () => {
    const runs = await world.query(
      `select kind, command, outcome from etl.runs where kind = 'forget' or run_id = 1 order by run_id`,
    );
    expect(runs).toEqual([
      { kind: 'nightly', command: 'run', outcome: 'done' },
      { kind: 'forget', command: 'forget', outcome: 'done' },
    ]);
  });

  it('leaves what that run recorded of the others', async () => {
    const [run] = await world.query(
      `select summary -> 'failures' as failures, summary -> 'windows' is not null as counts from etl.runs where run_id = 2`,
    );
    expect(run).toEqual({ failures: [{ account: 'north', detail: 'no' }], counts: true });
  });

  it('knows every table that has an account in it', async () => {
    const tables = await world.query<{ name: string }>(
      `select table_schema || '.' || table_name as name from information_schema.columns
       join information_schema.tables using (table_schema, table_name)
       where column_name like '%account_id' and table_type = 'BASE TABLE' and table_schema in ('warehouse', 'etl')
       group by 1`,
    );
    const known: readonly string[] = ['warehouse.accounts', ...accountTables];
    expect(tables.map(({ name }) => name).sort()).toEqual([...known].sort());
  });

  it('sends nothing once more: the next night mails its own day alone', async () => {
    const report = await runNight({ environment: without }, '2026-03-05');
    expect([report.outcome, report.stats.digests.built, report.stats.digests.corrected]).toEqual([
      'done',
      1,
      0,
    ]);
    const days = await world.query(
      `select day from etl.deliveries join etl.digests using (digest_id) where deliveries.changed_at > (select max(started_at) from etl.runs where kind = 'nightly')`,
    );
    expect(days).toEqual([{ day: new Date('2026-03-04T00:00:00') }]);
  });
});
