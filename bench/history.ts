import { readState } from '../src/job/alerts/read-alerts.ts';
import { formatCount } from '../src/support/english.ts';
import { serve } from '../test/server/site.ts';
import { atInstant } from '../test/support/nights.ts';
import { withClient } from './server.ts';
import { type Line, median, type Section } from './tables.ts';
import { type Bench, scaled } from './workload.ts';

const sizes = [
  { accounts: 60, days: 5 },
  { accounts: 60, days: 60 },
  { accounts: 60, days: 1_095 },
  { accounts: 2_000, days: 180 },
];

/** Measures what `status`, a scrape and the page take beside more and more loaded days. */
export async function measureHistory(bench: Bench): Promise<Section[]> {
  const lines: Line[] = [];
  for (const size of sizes) {
    const accounts = scaled(bench, size.accounts);
    await bench.server.withDatabase(async (url) => {
      await fillHistory(url, accounts, size.days);
      const what = `${formatCount(accounts)} accounts, ${formatCount(size.days)} days`;
      lines.push(...(await measureReaders(url, what)));
    });
  }
  return [{ title: 'History: queries beside more and more days', lines, targets: [] }];
}

const times = 5;

async function measureReaders(url: string, what: string): Promise<Line[]> {
  const site = await serve(url);
  const environment = { SERVICE_BASE_URL: 'https://service.example', SIDTOKEN: 'token', DATABASE_URL: url };
  const timed = async (name: string, work: () => Promise<number>): Promise<Line> => {
    const measured: number[] = [];
    let bytes = 0;
    // The first one is not warm.
    for (let time = 0; time <= times; time++) {
      const began = performance.now();
      bytes = await work();
      measured.push(performance.now() - began);
    }
    process.stderr.write(`${what}, ${name}: ${measured.map((ms) => ms.toFixed(0)).join(' ')} ms\n`);
    return { what: `${what}: ${name}`, figures: { queryMs: median(measured.slice(1)), bytes } };
  };
  const served = (path: string) => async () => {
    const response = await site.get(path);
    if (!response.ok) throw new Error(`${path}: status ${response.status}`);
    const text = await response.text();
    if (text.includes('database_up 0')) throw new Error(`${path}: the database is down`);
    return text.length;
  };
  try {
    return [
      await atInstant({ environment }, Temporal.Now.instant().toString(), (app) =>
        timed('status', async () => JSON.stringify(await readState(app.warehouse, app)).length),
      ),
      await timed('scrape', served('/metrics')),
      await timed('page', served('/')),
    ];
  } finally {
    await site.close();
  }
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
         (account_id, day, state, synced_at, fetched_at, synced_run_date, same_since_run_date, settled, run_id,
           listed_campaigns, attempts, busies, connects, live_answers, connect_rate_connects, connect_rate_attempts)
       select account_id, current_date - n, 'loaded', now(), now(), current_date - n + 2, current_date - n + 1, true, 1,
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
