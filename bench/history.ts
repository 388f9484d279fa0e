import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readState } from '../src/job/alerts/read-alerts.ts';
import { planMail } from '../src/job/digests/due.ts';
import { readDue } from '../src/job/digests/read-due.ts';
import type { AppContext } from '../src/job/run/app-context.ts';
import { requireSchema } from '../src/job/run/database.ts';
import { today } from '../src/model/day.ts';
import { formatCount } from '../src/support/english.ts';
import { readAccountDays } from '../src/warehouse/queries/account-days.ts';
import { serve } from '../test/server/site.ts';
import { atInstant } from '../test/support/nights.ts';
import { plansOf } from './plans.ts';
import { query, withClient } from './server.ts';
import { type Figures, type Line, median, ratio, type Section } from './tables.ts';
import { type Bench, scaled } from './workload.ts';

const sizes = [
  { accounts: 60, days: 5 },
  { accounts: 60, days: 60 },
  { accounts: 60, days: 1_095 },
  { accounts: 40, days: 60, hasHole: true },
  { accounts: 40, days: 1_095, hasHole: true },
  { accounts: 2_000, days: 1_095 },
  { accounts: 40, days: 60, isMailed: true },
  { accounts: 40, days: 1_095, isMailed: true },
];

/** Positions of two sizes of which the second has more days or accounts. */
const compared = [
  [1, 2],
  [3, 4],
  [6, 7],
  [2, 5],
] as const;

/** Measures what `status`, a scrape, the page and the plan of a run take next to more and more loaded and mailed days. */
export async function measureHistory(bench: Bench): Promise<Section[]> {
  const measured: { readonly what: string; readonly lines: readonly Line[] }[] = [];
  for (const size of sizes) {
    const accounts = scaled(bench, size.accounts);
    await bench.server.withDatabase(async (url) => {
      await fillHistory(url, accounts, size.days);
      const digests = 'isMailed' in size ? await fillMails(url, accounts, size.days) : null;
      if ('hasHole' in size) await digHole(url);
      const more = digests === null ? ('hasHole' in size ? ', no first day' : '') : ', a digest each';
      const what = `${formatCount(accounts)} accounts, ${formatCount(size.days)} days${more}`;
      measured.push({ what, lines: await measureReaders(url, what, digests, bench.server.ownLog) });
    });
  }
  const targets = compared.flatMap(([few, many]) =>
    measured[many]!.lines.map(({ what, figures }, index) =>
      ratio(
        `rows read, ${what} ÷ ${measured[few]!.what}`,
        figures.rowsRead ?? 0,
        measured[few]!.lines[index]!.figures.rowsRead ?? 0,
      ),
    ),
  );
  const lines = measured.flatMap((each) => each.lines);
  return [{ title: 'History: queries next to more and more days', lines, targets }];
}

/** One for each account. */
type Digests = Awaited<ReturnType<typeof fillMails>>;

const times = 5;

async function measureReaders(
  url: string,
  what: string,
  digests: Digests | null,
  ownLog: boolean,
): Promise<Line[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
  const settings = digests === null ? {} : await settingsOf(folder, digests);
  const measured = new Map<string, Figures>();
  await withReaders(url, settings, async (readers) => {
    for (const [name, read] of Object.entries(readers)) {
      const taken: number[] = [];
      let bytes = 0;
      // The first one is not warm.
      for (let time = 0; time <= times; time++) {
        const began = performance.now();
        bytes = (await read()).length;
        taken.push(performance.now() - began);
      }
      process.stderr.write(`${what}, ${name}: ${taken.map((ms) => ms.toFixed(0)).join(' ')} ms\n`);
      measured.set(name, { queryMs: median(taken.slice(1)), bytes });
    }
  });
  if (ownLog) {
    for (const [name, figures] of measured) {
      // In new sessions, which load auto_explain.
      const plans = await plansOf(url, () => withReaders(url, settings, (readers) => readers[name]!()));
      measured.set(name, { ...figures, rowsRead: plans.reduce((total, { rows }) => total + rows, 0) });
    }
  }
  await rm(folder, { recursive: true });
  return [...measured].map(([name, figures]) => ({ what: `${what}: ${name}`, figures }));
}

type Readers = Readonly<Record<string, () => Promise<string>>>;

/** Does `work` with what reads the warehouse: each returns what it read, as text. */
async function withReaders(
  url: string,
  settings: NodeJS.ProcessEnv,
  work: (readers: Readers) => Promise<unknown>,
): Promise<void> {
  const site = await serve(url, {}, settings);
  const token = 'ACCOUNTS_FILE' in settings ? {} : { SIDTOKEN: 'token' };
  const environment = {
    SERVICE_BASE_URL: 'https://service.example',
    DATABASE_URL: url,
    ...token,
    ...settings,
  };
  const served = async (route: string) => {
    const response = await site.get(route);
    const text = await response.text();
    if (!response.ok || text.includes('database_up 0')) throw new Error(`${route}: ${response.status}`);
    return text;
  };
  try {
    await atInstant({ environment }, Temporal.Now.instant().toString(), (app) =>
      work({
        'start of a command': async () => JSON.stringify(await requireSchema(app.warehouse)) ?? '',
        'how the days are': async () =>
          JSON.stringify(await readAccountDays(app.warehouse, app.clock(), app.config.planning.catchUpDays)),
        status: async () => JSON.stringify(await readState(app.warehouse, app)),
        'which digests are due': async () => JSON.stringify(await planOf(app)),
        scrape: () => served('/metrics'),
        page: () => served('/'),
      }),
    );
  } finally {
    await site.close();
  }
}

async function planOf(app: AppContext) {
  const runDate = today(app.clock(), 'UTC');
  return (await readDue(app, runDate, [])).map(planMail);
}

/** The first day of each account, which no run can load any more. */
async function digHole(url: string): Promise<void> {
  await query(
    url,
    `update etl.windows w set state = 'failed', failed_at = now(), error_code = 'REQUEST_REFUSED', error = 'status 404'
     from warehouse.accounts a where a.account_id = w.account_id and w.day = a.first_expected_day`,
  );
  await query(
    url,
    `update etl.complete_through c set complete_through_day = a.first_expected_day - 1
     from warehouse.accounts a where a.account_id = c.account_id`,
  );
}

/** Settings with these digests, and their accounts. */
export async function settingsOf(folder: string, digests: Digests) {
  const [ACCOUNTS_FILE, DIGESTS_FILE] = ['accounts.json', 'digests.json'].map((name) =>
    path.join(folder, name),
  ) as [string, string];
  const accounts = digests.map(({ account }) => ({ name: account, sidtoken: `token-of-${account}` }));
  await writeFile(ACCOUNTS_FILE, JSON.stringify(accounts), { mode: 0o600 });
  await writeFile(
    DIGESTS_FILE,
    JSON.stringify(
      digests.map(({ name, account }) => ({ name, accounts: [account], to: 'ana@example.com' })),
    ),
  );
  return { DIGEST_TO: '', ACCOUNTS_FILE, DIGESTS_FILE };
}

/** A digest for each account, of which each of these days was mailed to a recipient. */
export async function fillMails(url: string, accounts: number, days: number) {
  await withClient(url, async (client) => {
    await client.query(
      `insert into etl.digest_starts (name, every, day)
       select label, 'day', first_expected_day - 1 from warehouse.accounts`,
    );
    await client.query(
      `insert into etl.mails (name, every, number, day, subject, mime, run_id, built_at)
       select a.label, 'day', n, first_expected_day + n - 1, 'subject', 'mime', 1,
         first_expected_day + n + interval '7 hours'
       from generate_series(1, $1::integer) n, warehouse.accounts a order by n, account_id`,
      [days],
    );
    await client.query(
      `insert into etl.mailed_periods (name, every, day, account_id, mail_id, state, content, attempts, decided_at)
       select m.name, 'day', m.day, a.account_id, m.mail_id, 'whole',
         encode(sha256(convert_to(coalesce(m.day || ' ' || w.content_hash, ''), 'UTF8')), 'hex'), w.attempts, m.built_at
       from etl.mails m join warehouse.accounts a on a.label = m.name
       join etl.windows w on w.account_id = a.account_id and w.day = m.day`,
    );
    await client.query(
      `insert into etl.deliveries (mail_id, recipient, message_id, state, attempts, changed_at)
       select mail_id, 'ana@example.com', '<' || mail_id || '@bench>', 'sent', 1, built_at from etl.mails`,
    );
    await client.query('vacuum (analyze)');
  });
  return Array.from({ length: accounts }, (_, index) => ({
    name: `Office ${index + 1}`,
    account: `office-${index + 1}`,
  }));
}

/** Accounts without any problem, whose nights loaded each day of that time. */
export async function fillHistory(url: string, accounts: number, days: number): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into warehouse.accounts (name, label, time_zone, first_expected_day)
       select 'office-' || n, 'Office ' || n, 'UTC', current_date - $2::integer from generate_series(1, $1::integer) n`,
      [accounts, days],
    );
    await client.query(
      'insert into etl.complete_through select account_id, current_date - 1 from warehouse.accounts',
    );
    await client.query(
      `insert into etl.runs (kind, command, run_date, started_at, finished_at, host, process_id, outcome, exit_code)
       values ('nightly', 'schedule', current_date, now() - interval '41 seconds', now(), 'here', 1, 'done', 0)`,
    );
    await client.query(
      `insert into etl.walks (account_id, run_date, day, started_at, decided_at, verdict)
       select account_id, current_date, current_date, now(), now(), 'complete' from warehouse.accounts`,
    );
    await client.query(
      `insert into etl.windows
         (account_id, day, state, synced_at, fetched_at, updated_at, synced_run_date, same_since_run_date, settled, run_id,
           listed_campaigns, attempts, busies, connects, live_answers, connect_rate_connects, connect_rate_attempts)
       select account_id, current_date - n, 'loaded', now(), now(), current_date - n + 1, current_date - n + 2, current_date - n + 1, true, 1,
         20, 12345 + account_id * 7, 2345, 6789, 4321, 6789, 12345 + account_id * 7
       from warehouse.accounts, generate_series(1, $1::integer) n`,
      [days],
    );
    await client.query(
      `insert into etl.responses (account_id, operation, request, day, fetched_at, status, decision, rows)
       select account_id, 'campaignSummary', '{}', day, day + interval '30 hours', 200, 'loaded', 20 from etl.windows`,
    );
    await client.query('vacuum (analyze)');
  });
}
