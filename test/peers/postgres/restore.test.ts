import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../../src/job/run/database.ts';
import { addDays } from '../../../src/model/day.ts';
import { type Dataset, generateDataset } from '../../../src/simulator/dataset.ts';
import { read, root } from '../../deploy/known.ts';
import { runNight } from '../../support/nights.ts';
import { type KeptPostgres, keepPostgres } from '../../support/postgres-keeper.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { openWorld, type World } from '../../support/world.ts';
import { stockPrograms } from './stock.ts';

/** By the machine's clock: status, page and metrics show all days up to yesterday. */
const today = Temporal.Now.plainDateISO('UTC').toString();

/** A Monday: on a Sunday some accounts have few campaigns. */
const asYesterday = Temporal.PlainDate.from('2026-03-02');

/** A data set whose yesterday always has the same figures. */
const dataset = shifted(generateDataset(), asYesterday.until(addDays(today, -1)));

function shifted(set: Dataset, by: Temporal.Duration): Dataset {
  return {
    ...set,
    campaigns: (account, from, to) => set.campaigns(account, from.subtract(by), to.subtract(by)),
  };
}

/**
 * The drill of docs/operations.md, with the commands that are typed there: a backup after the second of five nights, the
 * others, and then the database is lost. Meanwhile a day that the backup has was corrected, by mail, too; a message that
 * was deferred when the backup was made was sent.
 */
const nights = [-4, -3, -2, -1, 0].map((offset) => addDays(today, offset));
let postgres: KeptPostgres;
let world: World;
let folder: string;
let tools: string;

const [dumping, restoring] = [
  ...read('docs/operations.md')
    .split('## Back up and restore')[1]!
    .matchAll(/```sh\n(.*?)```/gs),
].map(([, block]) => block!.trim().split('\n'));

beforeAll(async () => {
  tools = await stockPrograms();
  folder = await scratchFolder('callsheet-restore-');
  postgres = await keepPostgres({ directory: path.join(folder, 'server'), binaries: tools, temporary: true });
  let isCorrected = false;
  const service: typeof dataset = {
    ...dataset,
    campaigns(account, from, to) {
      const campaigns = dataset.campaigns(account, from, to);
      const isDay = account === 'coast' && from.toString() === addDays(today, -4);
      return isCorrected && isDay
        ? campaigns.map((each) => ({ ...each, attempts: each.attempts * 2 }))
        : campaigns;
    },
  };
  world = await openWorld({ dataset: service });
  await onServer('create database lost');
  await onServer('create database restored');
  await migrate(urlOf('lost'));
  const callsheet = path.join(folder, 'callsheet');
  await writeFile(callsheet, `#!/bin/sh\nexec '${process.execPath}' '${root}/src/main.ts' "$@"\n`);
  await chmod(callsheet, 0o755);

  for (const [index, night] of nights.entries()) {
    await runNight({ environment: environmentOf('lost') }, night);
    if (index !== 1) continue;
    await query(
      'lost',
      `update etl.deliveries set state = 'failed' where delivery_id = (select min(delivery_id) from etl.deliveries)`,
    );
    // As if it had gone out incomplete: the next night corrects it.
    await query(
      'lost',
      `update etl.mailed_periods set state = 'incomplete', content = 'less' where mail_id = (select max(mail_id) from etl.mails)`,
    );
    for (const line of dumping!) expect(await type('lost', line)).toMatchObject({ code: 0 });
    isCorrected = true;
  }
});
afterAll(async () => {
  await world.close();
  await postgres.stop();
});

const urlOf = (name: string) => Object.assign(new URL(postgres.adminUrl), { pathname: name }).href;
const outboxOf = (name: string) => path.join(folder, `outbox-${name}`);
const environmentOf = (name: string) => ({
  ...world.environment,
  DATABASE_URL: urlOf(name),
  OUTBOX_DIR: outboxOf(name),
});
const mailsOf = async (name: string) =>
  existsSync(outboxOf(name)) ? (await readdir(outboxOf(name))).sort() : [];
const onServer = async (statement: string) => await query('postgres', statement);

async function query(name: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: urlOf(name) });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

type Typed = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Types a line into a shell whose settings are those of one of the databases. */
async function type(name: string, line: string): Promise<Typed> {
  const env = { ...environmentOf(name), PATH: `${folder}:${tools}:${process.env.PATH}` };
  try {
    return { code: 0, ...(await promisify(execFile)('sh', ['-c', line], { env, cwd: folder })) };
  } catch (error) {
    return error as Typed;
  }
}

/** What BI tools and digests read: every current figure, without when it was loaded. */
const figuresOf = async (name: string) =>
  await query(
    name,
    `select 'campaign' as what, a.name, day::text, callset_id::text as id, concat_ws(' ', campaign, attempts, busies, connects, live_answers, extra, withdrawn_at is null) as figures
     from etl.campaign_days join warehouse.accounts a using (account_id)
     union all
     select 'day', a.name, day::text, '', concat_ws(' ', campaigns, attempts, busies, connects, live_answers, connect_rate, live_answer_rate, busy_rate, provisional)
     from warehouse.account_days d join warehouse.accounts a using (account_id)
     union all
     select 'client', a.name, '', c.client_id::text, concat_ws(' ', c.name, checksum, balance, extra, absent_at is null)
     from warehouse.clients c join warehouse.accounts a using (account_id)
     union all
     select 'coverage', account, day::text, '', concat_ws(' ', state, held)
     from warehouse.coverage
     union all
     select 'span', a.name, first_day || ' ' || last_day, callset_id::text, c.name
     from warehouse.campaigns c join warehouse.accounts a using (account_id)
     order by 1, 2, 3, 4`,
  );

it('the backup restores with the commands of docs/operations.md, nobody gets a mail twice, and the figures are those of a warehouse that was never restored', async () => {
  const ended = new Map<string, Typed>();
  for (const line of restoring!) ended.set(line, await type('restored', line));
  const codes = [...ended].map(([line, { code }]) => [line.split(' --')[0], code]);
  // The role belongs to the server, which has it already.
  expect(codes[0]).toEqual(['psql "$DATABASE_URL"', 1]);
  expect(codes.slice(1)).toEqual([
    ['pg_restore', 0],
    ['callsheet migrate', 0],
    ['callsheet digest', 0],
    ['callsheet run', 0],
    ['callsheet status', 0],
  ]);
  expect(ended.get('callsheet digest --skip --all')!.stdout).toMatch(
    /^3 digests, \d corrections?, 1 delivery skipped\n$/,
  );

  expect(await mailsOf('restored')).toEqual([]);
  const before = await mailsOf('lost');
  // The one that counted as deferred.
  expect(before).toHaveLength(nights.length + 1);
  for (const name of ['restored', 'lost'])
    await runNight({ environment: environmentOf(name) }, addDays(today, 1));
  const sent = await mailsOf('restored');
  expect(sent).toEqual([expect.stringContaining(`-${today}-`)]);
  expect(before.filter((mail) => sent.includes(mail))).toEqual([]);

  // The service goes on counting today, which the two read at different times.
  const isOver = (row: unknown) => !(row as { day: string }).day.includes(today);
  const figures = (await figuresOf('lost')).filter(isOver);
  expect(figures.length).toBeGreaterThan(1_000);
  expect((await figuresOf('restored')).filter(isOver)).toEqual(figures);
  const corrected = (name: string) => query(name, 'select from warehouse.campaign_day_restatements');
  expect(await corrected('restored')).toHaveLength((await corrected('lost')).length);
});
