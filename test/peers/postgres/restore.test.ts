import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Environment } from '../../../src/config/environment.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { migrate, psqlCommand } from '../../../src/job/run/database.ts';
import { addDays } from '../../../src/model/day.ts';
import { type Dataset, generateDataset } from '../../../src/simulator/dataset.ts';
import { createRedactor } from '../../../src/support/redaction.ts';
import { read, root } from '../../deploy/known.ts';
import { createAuthority } from '../../support/certificates.ts';
import { queryAt } from '../../support/database.ts';
import { runNight } from '../../support/nights.ts';
import { type KeptPostgres, keepPostgresWithTls } from '../../support/postgres-keeper.ts';
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
 * was deferred when the backup was made was sent. The backup is restored on another server, under another role. Both roles may
 * do no more than docs/install.md demands: connect, and create schemas in the database.
 */
const nights = [-4, -3, -2, -1, 0].map((offset) => addDays(today, offset));
const debianAuthorities = '/etc/ssl/certs/ca-certificates.crt';
const roles = { lost: 'nightly', restored: 'newcomer' } as const;
type Name = keyof typeof roles;
let servers: { readonly [name in Name]: KeptPostgres };
let world: World;
let folder: string;
let tools: string;
let authority: ReturnType<typeof createAuthority>;

const [trusting, dumping, restoring, composeDumping, composeRestoring] = [
  ...read('docs/operations.md')
    .split('## Back up and restore')[1]!
    .split('\n## ')[0]!
    .matchAll(/```sh\n(.*?)```/gs),
].map(([, block]) => block!.trim().split('\n'));

beforeAll(async () => {
  tools = await stockPrograms();
  folder = await scratchFolder('callsheet-restore-');
  authority = createAuthority();
  const start = async (name: string) => {
    await mkdir(path.join(folder, name));
    const options = { directory: path.join(folder, name), binaries: tools, temporary: true };
    return await keepPostgresWithTls(options, authority.issue());
  };
  const [lost, restored] = await Promise.all([start('old'), start('new')]);
  servers = { lost, restored };
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
  for (const name of ['lost', 'restored'] as const) {
    const role = roles[name];
    for (const statement of [
      `create role ${role} login password '${role}-s3cret'`,
      `create database ${name}`,
      `grant create on database ${name} to ${role}`,
    ])
      await queryAt(servers[name].adminUrl, statement);
  }
  const { readerSql } = await migrate(urlOf('lost'));
  await queryAt(adminUrlOf('lost'), readerSql.join('\n'));
  await writeProgram('callsheet', `exec '${process.execPath}' '${root}/src/main.ts' "$@"`);
  // Compose, of which only the commands in its containers matter here.
  await writeProgram(
    'docker',
    `verb=$2; service=$4; [ $# -lt 4 ] || shift 4
     case "$verb" in
       exec) exec "$@" ;;
       run) [ $# -gt 0 ] || set -- "$service"; exec callsheet "$@" ;;
       stop | up) ;;
       *) exit 64 ;;
     esac`,
  );

  for (const [index, night] of nights.entries()) {
    await runOn('lost', night);
    if (index !== 1) continue;
    await queryAt(
      urlOf('lost'),
      `update etl.deliveries set state = 'failed' where delivery_id = (select min(delivery_id) from etl.deliveries)`,
    );
    // As if it had gone out incomplete: the next night corrects it.
    await queryAt(
      urlOf('lost'),
      `update etl.mailed_periods set state = 'incomplete', content = 'less' where mail_id = (select max(mail_id) from etl.mails)`,
    );
    for (const line of dumping!)
      expect(await type(environmentOf('lost'), line)).toMatchObject({ code: 0, stderr: '' });
    isCorrected = true;
  }
});
afterAll(async () => {
  authority[Symbol.dispose]();
  await world.close();
  for (const server of Object.values(servers)) await server.stop();
});

async function writeProgram(name: string, script: string): Promise<void> {
  await writeFile(path.join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(path.join(folder, name), 0o755);
}

const adminUrlOf = (name: Name) => Object.assign(new URL(servers[name].adminUrl), { pathname: name }).href;
const urlOf = (name: Name) =>
  Object.assign(new URL(adminUrlOf(name)), { username: roles[name], password: `${roles[name]}-s3cret` }).href;
const outboxOf = (name: string) => path.join(folder, `outbox-${name}`);
const environmentOf = (name: Name) => ({
  ...world.environment,
  NODE_EXTRA_CA_CERTS: authority.file,
  DATABASE_URL: `${urlOf(name)}?sslmode=verify-full`,
  OUTBOX_DIR: outboxOf(name),
});
/** In this process, which doesn't trust the authority. */
const runOn = (name: Name, night: string) =>
  runNight({ environment: { ...environmentOf(name), DATABASE_URL: urlOf(name) } }, night);
const mailsOf = async (name: Name) =>
  existsSync(outboxOf(name)) ? (await readdir(outboxOf(name))).sort() : [];

type Typed = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Types a line into a shell with these settings, after the one that each shell needs. */
async function type(settings: Environment, line: string): Promise<Typed> {
  const env = { ...settings, PATH: `${folder}:${tools}:${process.env.PATH}` };
  try {
    return {
      code: 0,
      ...(await promisify(execFile)('sh', ['-c', `${trusting![0]}\n${line}`], { env, cwd: folder })),
    };
  } catch (error) {
    return error as Typed;
  }
}

/** What BI tools and digests read: every current figure, without when it was loaded. */
const figuresOf = async (url: string) =>
  await queryAt(
    url,
    `select 'campaign' as what, a.name, day::text, callset_id::text as id, concat_ws(' ', campaign, attempts, busies, connects, live_answers, extra, withdrawn_at is null) as figures
     from etl.campaign_days join warehouse.accounts a using (account_id)
     union all
     select 'day', a.name, day::text, '', concat_ws(' ', listed_campaigns, attempts, busies, connects, live_answers, connect_rate, live_answer_rate, busy_rate, provisional)
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

const readsAs = (url: string, statement: string) =>
  queryAt(url, `set role callsheet_reader; ${statement}`).then(
    () => 'read',
    (error) => (error as { code: string }).code,
  );

it('the backup restores on another server, under another role, with the commands of docs/operations.md: nobody gets a mail twice, and the figures are those of a warehouse that was never restored', async () => {
  const ended = new Map<string, Typed>();
  for (const line of restoring!) ended.set(line, await type(environmentOf('restored'), line));
  expect([...ended].map(([line, { code }]) => [line.split(' --')[0], code])).toEqual([
    ['pg_restore', 0],
    ['callsheet migrate', 0],
    ['callsheet digest', 0],
    ['callsheet run', 0],
    ['callsheet status', 0],
  ]);
  // The day whose mail was deferred and the three that ended since the backup; the one that went out incomplete.
  expect(ended.get('callsheet digest --skip --all')!.stdout).toBe(
    '4 digests, 1 correction, 1 delivery skipped\n',
  );

  expect(await mailsOf('restored')).toEqual([]);
  const before = await mailsOf('lost');
  // The one that counted as deferred was replaced by the next, which has its day.
  expect(before).toHaveLength(nights.length);
  for (const name of ['restored', 'lost'] as const) await runOn(name, addDays(today, 1));
  const sent = await mailsOf('restored');
  expect(sent).toEqual([expect.stringContaining(`-${today}-`)]);
  expect(before.filter((mail) => sent.includes(mail))).toEqual([]);

  // The service goes on counting today, which the two read at different times.
  const isOver = (row: unknown) => !(row as { day: string }).day.includes(today);
  const figures = (await figuresOf(urlOf('lost'))).filter(isOver);
  expect(figures.length).toBeGreaterThan(1_000);
  expect((await figuresOf(urlOf('restored'))).filter(isOver)).toEqual(figures);
  const corrected = (name: Name) => queryAt(urlOf(name), 'select from warehouse.campaign_day_restatements');
  expect(await corrected('restored')).toHaveLength((await corrected('lost')).length);

  // What `migrate` printed is what a superuser runs.
  await queryAt(adminUrlOf('restored'), ended.get('callsheet migrate')!.stdout);
  for (const name of ['lost', 'restored'] as const) {
    expect(await readsAs(adminUrlOf(name), 'select from warehouse.campaign_days')).toBe('read');
    expect(await readsAs(adminUrlOf(name), 'select from etl.windows')).toBe('42501');
  }
});

it('psql opens the warehouse as init says, with an authority of its own or the public ones', async () => {
  const settings = { ...environmentOf('lost'), PGPASSWORD: `${roles.lost}-s3cret` };
  const commandOf = (environment: Environment) =>
    psqlCommand(loadConfig(environment, { service: false }, createRedactor()));
  const typed = commandOf(settings);
  expect(typed).not.toContain('s3cret');
  const select = ` --tuples-only --command 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'`;
  for (const line of [typed, `psql "$DATABASE_URL"`])
    expect(await type(settings, line + select)).toMatchObject({ code: 0, stdout: ' t\n\n' });
  const publicly = commandOf({ ...settings, NODE_EXTRA_CA_CERTS: '' });
  expect(publicly).toBe(typed.replace(authority.file, debianAuthorities));
  const { stderr } = await type({ ...settings, NODE_EXTRA_CA_CERTS: '' }, publicly + select);
  // Its file is read: the test's authority isn't a public one.
  expect(stderr).toContain('certificate verify failed');
});

it('the Postgres of Compose is backed up and restored with the commands of docs/operations.md', async () => {
  const { hostname, port, username, password } = new URL(servers.restored.url);
  const settings = {
    ...environmentOf('restored'),
    DATABASE_URL: servers.restored.url,
    OUTBOX_DIR: outboxOf('compose'),
    PGHOST: hostname,
    PGPORT: port,
    PGPASSWORD: password,
  };
  expect([username, new URL(servers.restored.url).pathname]).toEqual(['callsheet', '/callsheet']);
  await migrate(servers.restored.url);
  await runNight({ environment: settings }, nights[0]!);
  const figures = await figuresOf(servers.restored.url);
  expect(figures.length).toBeGreaterThan(100);
  // Nights of a test share their connections, and a database with any can't be dropped.
  await queryAt(
    servers.restored.adminUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'callsheet' and pid <> pg_backend_pid()`,
  );
  for (const line of [...composeDumping!, ...composeRestoring!])
    expect({ line, ...(await type(settings, line)) }).toMatchObject({ line, code: 0 });
  expect(await figuresOf(servers.restored.url)).toEqual(figures);
});
