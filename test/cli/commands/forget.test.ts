import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installQueue } from '../../../src/queue/boss.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { openPlainSql } from '../../../src/warehouse/db/plain-sql.ts';
import { accountTables } from '../../../src/warehouse/retention/forget-account.ts';
import type { Ended } from '../../support/callsheet.ts';
import { command } from '../../support/command.ts';
import { runNight } from '../../support/nights.ts';
import { dumpRelease } from '../../support/release-dump.ts';
import { runInProgress } from '../../support/run-in-progress.ts';
import { openWorld, type World } from '../../support/world.ts';

/** A night of three accounts; then `valley` is gone from the settings. */
let world: World;
let without: World['environment'];
type Tables = Awaited<ReturnType<typeof dumpRelease>>['tables'];

beforeAll(async () => {
  world = await openWorld();
  await runNight(world, '2026-03-03');
  const sql = openPlainSql(world.databaseUrl, 1);
  await installQueue(sql);
  await sql.end();
  await world.query(
    `insert into etl_queue.job (name, data)
     select 'windows-dead', jsonb_build_object('task', jsonb_build_object('day', '2026-03-02', 'account', to_jsonb(a) || jsonb_build_object('id', account_id)))
     from warehouse.accounts a`,
  );
  const accounts = generateDataset().accounts.filter(({ name }) => name !== 'valley');
  const file = path.join(world.folder, 'others.json');
  await writeFile(file, JSON.stringify(accounts.map(({ name, token }) => ({ name, sidtoken: token }))), {
    mode: 0o600,
  });
  without = { ...world.environment, ACCOUNTS_FILE: file };
});
afterAll(() => world.close());

const forget = (environment: World['environment'], ...args: string[]) =>
  command(['forget', ...args], environment);

it('forget refuses an account that the settings still have and one that nobody knows', async () => {
  const ofSettings = await forget(world.environment, '--account', 'north', '--yes');
  expect([ofSettings.code, ofSettings.stdout]).toEqual([64, '']);
  expect(ofSettings.stderr).toMatch(
    /^callsheet: account north is still in the settings \(ACCOUNTS_FILE, or ACCOUNT_NAME\), and the next run would load it again: remove it there, restart all workers, then repeat this command\n$/,
  );
  const unknown = await forget(without, '--account', 'noth');
  expect([unknown.code, unknown.stdout]).toEqual([64, '']);
  expect(unknown.stderr).toContain('no account is called noth (did you mean north?); known: ');
});

it('forget knows every table that has an account in it', async () => {
  const tables = await world.query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where column_name like '%account_id' and table_type = 'BASE TABLE' and table_schema in ('warehouse', 'etl')
     group by 1`,
  );
  // What was mailed stays, without the account.
  const known: readonly string[] = ['warehouse.accounts', 'etl.mailed_periods', ...accountTables];
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

  it('waits for no run that is running: it ends with 75', () => {
    expect([besideRun.code, besideRun.stdout]).toEqual([75, '']);
    expect(besideRun.stderr).toContain('another run is running');
  });

  it('without --yes prints how much there is, table by table, and changes nothing', () => {
    expect(preview).toMatch(/^rows +table +erased\n/);
    for (const name of ['campaign_days', 'responses', 'response_bodies'])
      expect(preview).toMatch(new RegExp(`^ *[1-9][\\d,]* +etl.${name} `, 'm'));
    expect(preview).toContain(
      'Nothing is erased yet. To erase valley for good:\n\n  npm start -- forget --account valley --yes\n',
    );
    expect(previewed).toEqual(before);
  });

  it('with --yes erases the account, its windows in the queue as well, and prints what it erased', async () => {
    expect(table(stdout)).toBe(table(preview));
    expect(stdout).toContain('Erased: valley. Delivered mail, files, logs and backups are not changed.\n');
    const left = Object.entries(after).filter(([, rows]) => rows.includes('valley'));
    expect(left.map(([name]) => name)).toEqual([]);
    const jobs = await world.query<{ account: string }>(
      `select data -> 'task' -> 'account' ->> 'name' as account from etl_queue.job order by 1`,
    );
    expect(jobs.map(({ account }) => account)).toEqual(['coast', 'north']);
  });

  it('is recorded as a run, without the name of the account', async () => {
    expect(await world.query(`select kind, command, outcome from etl.runs order by run_id`)).toEqual([
      { kind: 'nightly', command: 'run', outcome: 'done' },
      { kind: 'forget', command: 'forget', outcome: 'done' },
    ]);
  });
});
