import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exitCode } from '../src/model/exit-code.ts';
import { formatCount } from '../src/support/english.ts';
import { serve } from '../test/server/site.ts';
import { startService } from './fixed-responses.ts';
import { callsheet, environment, runProgram } from './measure.ts';
import { type Plan, plansOf } from './plans.ts';
import { fillWarehouse, keepStatistics, query, withClient } from './server.ts';
import type { Growth } from './tables.ts';
import { type Bench, daysBack, scaled } from './workload.ts';

/** What each account has. */
const each = { clients: 20, campaigns: 5 };

const sizes = [1, 40, 400].flatMap((accounts) => [60, 1_095].map((days) => ({ accounts, days })));

/** Measures what a night, the page and the commands read, of one account and of many, after two months and after three years. */
export async function measureHistory(bench: Bench): Promise<Growth[]> {
  if (!bench.server.ownLog) throw new Error('history reads the log of the server: leave out --server');
  const measured: (readonly Work[])[] = [];
  for (const { accounts, days } of sizes) {
    const works = await bench.server.withDatabase((url) => worksOf(url, scaled(bench, accounts), days));
    measured.push(works);
    for (const { what, plans } of works)
      process.stderr.write(`${accounts} × ${days}, ${what}: ${formatCount(buffersOf(plans))} buffers\n`);
  }
  return [
    {
      title: 'History: buffers read',
      of: 'accounts × days',
      sizes: sizes.map(({ accounts, days }) => `${scaled(bench, accounts)} × ${formatCount(days)}`),
      lines: measured[0]!.map(({ what }, index) => ({
        what,
        unit: 'number',
        values: measured.map((works) => buffersOf(works[index]!.plans)),
      })),
    },
  ];
}

const buffersOf = (plans: readonly Plan[]) => plans.reduce((total, { buffers }) => total + buffers, 0);

/** What reads the warehouse, and its statements. */
export type Work = { readonly what: string; readonly plans: readonly Plan[] };

/**
 * Returns the statements of a night, the page and the commands, in a warehouse of so many accounts and nights, with a digest for
 * each account. The last night is still to come.
 */
export async function worksOf(
  url: string,
  accounts: number,
  days: number,
  clients = each.clients,
): Promise<Work[]> {
  const nights = daysBack(days + 1);
  const yesterday = nights.pop()!;
  const last = nights.at(-1)!;
  await fillNights(url, accounts, nights, clients);
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
  const service = await startService({ ...each, clients });
  const env = await settingsOf(folder, url, service.url, accounts);
  const forgetting = await environment({ serviceUrl: service.url, databaseUrl: url, folder });
  const run = (env: NodeJS.ProcessEnv, ...command: string[]) => runToItsEnd(command, env);
  const works: Work[] = [];
  const observe = async (what: string, work: () => Promise<unknown>) => {
    works.push({ what, plans: await plansOf(url, work) });
  };
  try {
    await observe('`status`', () => run(env, 'status'));
    await observe('page', () => visit(url, env, '/'));
    await observe('scrape', () => visit(url, env, '/metrics'));
    await observe('`accept`', () => run(env, 'accept', '--day', last, '--yes'));
    await observe('night', () => run(env, 'run'));
    await observe('second run', () => run(env, 'run'));
    await observe('`digest --preview`', () =>
      run(env, 'digest', '--day', yesterday, '--digest', 'Office 1', '--preview', folder),
    );
    await observe('`backfill` of loaded days', () => run(env, 'backfill', '--from', last, '--to', yesterday));
    await observe('`replay` of a day', () => run(env, 'replay', '--from', yesterday, '--to', yesterday));
    await observe('fifty questions', () => askAll(url));
    await observe('`forget`', () => run(forgetting, 'forget', '--account', `account-${accounts}`, '--yes'));
  } finally {
    await service.stop();
    await rm(folder, { recursive: true });
  }
  return works;
}

async function runToItsEnd(command: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { code, stderr } = await runProgram(callsheet(...command), env);
  if (code !== exitCode.done && code !== exitCode.runAgain)
    throw new Error(`${command.join(' ')} ended with ${code}:\n${stderr.slice(-2_000)}`);
}

async function visit(url: string, env: NodeJS.ProcessEnv, route: string): Promise<void> {
  const site = await serve(url, {}, env);
  try {
    const response = await site.get(route);
    const text = await response.text();
    if (!response.ok || text.includes('database_up 0')) throw new Error(`${route}: ${response.status}`);
  } finally {
    await site.close();
  }
}

const questions = ['../deploy/bi/queries', '../test/bi/twenty'].map((folder) =>
  path.resolve(import.meta.dirname, folder),
);

/** As the role of a BI tool. */
async function askAll(url: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('set role callsheet_reader; set search_path = warehouse; set jit = off');
    for (const folder of questions)
      for (const file of (await readdir(folder)).sort())
        await client.query(await readFile(path.join(folder, file), 'utf8'));
  });
}

/** Settings with these accounts, and a digest for each of them. */
async function settingsOf(folder: string, databaseUrl: string, serviceUrl: string, accounts: number) {
  const names = Array.from({ length: accounts }, (_, index) => `account-${index + 1}`);
  const env = await environment(
    { serviceUrl, databaseUrl, folder },
    names.map((name) => ({ name })),
  );
  const file = path.join(folder, 'digests.json');
  const digests = names.map((name, index) => ({
    name: `Office ${index + 1}`,
    accounts: [name],
    to: 'ana@example.com',
  }));
  await writeFile(file, JSON.stringify(digests));
  return { ...env, DIGEST_TO: '', DIGESTS_FILE: file };
}

/** Fills a warehouse as nights do that loaded and mailed each of these days. The last one of an account is provisional. */
async function fillNights(
  url: string,
  accounts: number,
  days: readonly string[],
  clients: number,
): Promise<void> {
  await fillWarehouse(url, accounts, days, each.campaigns, clients);
  await withClient(url, async (client) => {
    await client.query(
      `insert into etl.complete_through select account_id, $1::date - 1 from warehouse.accounts`,
      [days.at(-1)],
    );
    await client.query(
      `insert into etl.runs (kind, command, run_date, scheduled_at, started_at, finished_at, host, process_id, outcome, exit_code, summary)
       select 'nightly', 'schedule', day + 1, day + 1 + time '06:30', day + 1 + time '06:30', day + 1 + time '06:31', 'here', 1, 'done', 0,
         case when day > current_date - 400 then '{"failures": []}'::jsonb end
       from unnest($1::date[]) day`,
      [days],
    );
    await client.query(
      `insert into etl.walks (run_id, account_id, run_date, day, started_at, decided_at, verdict)
       select r.run_id, a.account_id, r.run_date, r.run_date, r.started_at, r.finished_at, 'complete'
       from etl.runs r, warehouse.accounts a where r.scheduled_at is not null order by 1, 2`,
    );
    await client.query(
      `insert into etl.digest_starts (name, every, day)
       select 'Office ' || account_id, 'day', first_expected_day - 1 from warehouse.accounts`,
    );
    await client.query(
      `insert into etl.mails (name, every, number, day, subject, mime, run_id, built_at)
       select 'Office ' || a.account_id, 'day', row_number() over (partition by a.account_id order by r.run_id), r.run_date - 1,
         'subject', case when r.summary is not null then 'message'::bytea end, r.run_id, r.started_at
       from etl.runs r, warehouse.accounts a where r.scheduled_at is not null order by r.run_id, a.account_id`,
    );
    await client.query(
      `insert into etl.mailed_periods (name, every, day, account_id, mail_id, state, content, attempts, decided_at)
       select m.name, 'day', m.day, w.account_id, m.mail_id, 'whole',
         encode(sha256(convert_to(m.day || ' ' || w.content_hash, 'UTF8')), 'hex'), w.attempts, m.built_at
       from etl.mails m join etl.windows w on m.name = 'Office ' || w.account_id and w.day = m.day`,
    );
    await client.query(
      `insert into etl.deliveries (mail_id, recipient, message_id, state, attempts, changed_at)
       select mail_id, 'ana@example.com', '<' || mail_id || '@bench>', 'sent', 1, built_at from etl.mails`,
    );
    await client.query(
      `update etl.windows set state = 'provisional', confirmed_at = null, settled = false, provisional_reason = 'x',
         anomalies = '[{"code": "remark", "sign": "note: x", "confirmedBy": null}]'
       where day = $1 and account_id = 1`,
      [days.at(-1)],
    );
  });
  await query(url, 'vacuum (analyze)');
  await keepStatistics(url);
}
