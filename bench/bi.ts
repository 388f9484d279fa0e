import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { csvOf, readFigures } from '../src/job/digests/compose-digest.ts';
import { periodOf } from '../src/model/period.ts';
import { formatCount } from '../src/support/english.ts';
import { openWarehouse } from '../src/warehouse/db/database.ts';
import { inSnapshot } from '../src/warehouse/db/transaction.ts';
import { callsheet } from './measure.ts';
import { fillWarehouse, query, withClient } from './server.ts';
import { type Line, median, ratio, type Section } from './tables.ts';
import { type Bench, daysBack, measureWorkload, scaled } from './workload.ts';

/** The accounts of fill.sql: the first one lists the others as its clients. */
const accounts = Array.from({ length: 40 }, (_, index) => {
  const client = { account: 'account-1', id: 1_000_001 + index };
  return { name: `account-${index + 1}`, ...(index > 0 && { client }) };
});
/** The thirty queries of the kit, and twenty that people asked. */
const queries = ['../deploy/bi/queries', '../test/bi/twenty'].map((folder) =>
  path.resolve(import.meta.dirname, folder),
);

/** Measures queries, views, a digest and a load in a warehouse of some years, with 40 accounts and 80 campaigns a day. */
export async function measureBi(bench: Bench): Promise<Section[]> {
  const campaigns = scaled(bench, 80);
  const days = daysBack(Math.round(bench.years * 365) + 2);
  const yesterday = days.pop()!;
  const last = days.at(-1)!;
  const name = `bench_bi_${days[0]}_${last}_${campaigns}`.replaceAll('-', '');
  const url = await bench.server.keptDatabase(name);
  const [{ filled }] = await query(url, 'select max(day)::text as filled from etl.windows');
  if (filled === null) await fillWarehouse(url, accounts.length, days, campaigns);
  else if (filled !== last) throw new Error(`database ${name} is half filled: drop it`);
  const [figures, csv] = await measureDigest(url, last);
  const lines = [...(await measureQueries(url, bench.plans)), figures];
  const slowest = Math.max(...lines.map((line) => line.figures.queryMs!));
  const size = `${days.length} days × ${accounts.length} accounts × ${campaigns} campaigns`;
  return [
    {
      title: `BI: ${formatCount(days.length * accounts.length * campaigns)} rows: ${size}`,
      lines: [...(await tableSizes(url)), ...lines, csv],
      targets: [{ what: 'the slowest', value: slowest, unit: 'ms', atMost: 1_000 }],
    },
    { title: 'Views, with and without conditions', lines: await measureViews(url, last), targets: [] },
    ...(await loadDay(bench, url, yesterday, campaigns)),
  ];
}

/** Measures the queries of the kit as callsheet_reader, and writes their plans to a folder, if there is one. */
async function measureQueries(url: string, plans: string | undefined): Promise<Line[]> {
  return await withClient(url, async (client) => {
    await client.query('set role callsheet_reader');
    // As docs/warehouse.md recommends for the role of a BI tool.
    await client.query('set search_path = warehouse');
    await client.query('set jit = off');
    const lines: Line[] = [];
    for (const file of (await Promise.all(queries.map(filesOf))).flat()) {
      const statement = await readFile(file, 'utf8');
      const what = path.basename(file, '.sql');
      const { rows } = await client.query(statement);
      lines.push({
        what,
        figures: { queryMs: await warm(() => client.query(statement)), rows: rows.length },
      });
      if (plans === undefined) continue;
      const plan = await client.query({ text: `explain (analyze, buffers) ${statement}`, rowMode: 'array' });
      await mkdir(plans, { recursive: true });
      await writeFile(path.join(plans, `${what}.txt`), `${plan.rows.join('\n')}\n`);
    }
    return lines;
  });
}

const filesOf = async (folder: string) =>
  (await readdir(folder)).sort().map((file) => path.join(folder, file));

/** How an analyst restricts each view that has days, by account. */
const views = {
  campaign_days: `account = 'account-7'`,
  account_days: `account = 'account-7'`,
  account_performance: `account = 'account-7'`,
  coverage: `account = 'account-7'`,
  restated_days: `account = 'account-7'`,
  campaign_day_restatements: 'account_id = 7',
  client_balances: 'account_id = 7',
  client_days: 'account_id = 7',
};

/** Measures what each view costs as a whole, for a week, and for a week of an account: all its columns, without sending them. */
async function measureViews(url: string, last: string): Promise<Line[]> {
  return await withClient(url, async (client) => {
    const lines: Line[] = [];
    const time = async (view: string, condition: string) => {
      const statement = `explain (analyze, timing off) select * from warehouse.${view} where ${condition}`;
      return await warm(() => client.query(statement));
    };
    await client.query('set jit = off');
    // Each account counts its days from the first one on, as behind a hole there.
    await client.query('delete from etl.complete_through');
    lines.push({
      what: 'freshness, behind a hole on the first day',
      figures: { wholeMs: await time('freshness', 'true') },
    });
    await client.query(
      'insert into etl.complete_through select account_id, $1::date - 1 from warehouse.accounts',
      [last],
    );
    lines.push({ what: 'freshness', figures: { wholeMs: await time('freshness', 'true') } });
    await client.query('set role callsheet_reader');
    const ofWeek = `day > date '${last}' - 7`;
    for (const [view, ofAccount] of Object.entries(views)) {
      // It has a row for each client on each day: 88 million.
      const whole = view === 'client_days' ? {} : { wholeMs: await time(view, 'true') };
      const weekMs = await time(view, ofWeek);
      const accountMs = await time(view, `${ofWeek} and ${ofAccount}`);
      lines.push({ what: view, figures: { ...whole, weekMs, accountMs } });
    }
    return lines;
  });
}

/** Measures the figures of a digest of all accounts, and its CSV, with the job's own functions. */
async function measureDigest(url: string, last: string): Promise<[Line, Line]> {
  const digest = {
    name: 'Campaigns',
    to: ['ana@example.com'],
    every: 'day' as const,
    accounts: accounts.map(({ name }) => name),
    locale: 'en',
    timeZone: 'UTC',
    extraFields: [],
    link: null,
    lowBalance: 100,
    csv: { separator: ',', decimal: '.' },
    quietDays: 'skip' as const,
  };
  const period = periodOf('day', last);
  const shown = { day: last, accounts: digest.accounts.map((account) => ({ account, since: last })) };
  const occasion = { ...shown, before: null, earlier: [], mailedAt: null };
  const warehouse = openWarehouse(url, 1);
  const figuresMs = await warm(() =>
    inSnapshot(warehouse, '5min', (snapshot) => readFigures(snapshot, digest, period, occasion, [])),
  );
  const csvMs = await warm(() =>
    inSnapshot(warehouse, '5min', async (snapshot) => text(csvOf(snapshot, digest, [shown]))),
  );
  await warehouse.destroy();
  return [
    { what: `figures of a digest of ${accounts.length} accounts`, figures: { queryMs: figuresMs } },
    { what: 'its CSV (no target)', figures: { queryMs: csvMs } },
  ];
}

/** Returns the median of five times in milliseconds, after one warm-up. */
async function warm(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time <= 5; time++) {
    const began = performance.now();
    await work();
    took.push(performance.now() - began);
  }
  return median(took.slice(1));
}

async function tableSizes(url: string): Promise<Line[]> {
  const tables = await query(
    url,
    `select relname as what, reltuples::float8 as rows, pg_total_relation_size(oid)::float8 as bytes from pg_class
     where relnamespace::regnamespace::text in ('warehouse', 'etl') and relkind in ('r', 'p') order by 3 desc limit 3`,
  );
  return tables.map(({ what, ...figures }) => ({ what, figures }));
}

/** Loads the same day of every account into an empty warehouse and into the full one. */
async function loadDay(bench: Bench, full: string, day: string, campaigns: number): Promise<Section[]> {
  const args = callsheet('backfill', '--from', day, '--to', day);
  const [empty, into] = ['into an empty warehouse', 'into that one'] as const;
  const sections = await measureWorkload(bench, {
    service: { campaigns },
    accounts,
    passes: [`A day of ${accounts.length} accounts × ${campaigns} campaigns`],
    contenders: [
      { name: empty, args },
      { name: into, args, database: () => forgetDay(full, day) },
    ],
    targets: (of) => [ratio('full ÷ empty', of(into).wallMs!, of(empty).wallMs!, 1.2)],
  });
  await forgetDay(full, day);
  return sections;
}

/** Deletes a day from a warehouse, as if it had never been loaded; returns the warehouse's URL. */
async function forgetDay(url: string, day: string): Promise<string> {
  await query(
    url,
    `delete from etl.response_bodies where sha256 in (select sha256 from etl.responses where day = '${day}');
     delete from etl.responses where day = '${day}';
     delete from etl.windows where day = '${day}';
     delete from etl.campaign_days where day = '${day}';`,
  );
  await query(url, 'checkpoint');
  return url;
}
