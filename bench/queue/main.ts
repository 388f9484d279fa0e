/**
 * What the queue costs, and what workers bring: `npm run bench:queue`. Windows of 20 campaigns, backfilled from a
 * service that takes 50 ms, by one process and by 1, 2 and 4 workers; 20,000 windows by 4, as fast as they go, thousand
 * by thousand; and what follows for nights of other sizes.
 *
 * `-- --windows 600 --many 2000` tries it smaller, `--server URL` uses a Postgres that runs already.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installQueue } from '../../src/queue/boss.ts';
import { openPlainSql } from '../../src/warehouse/db/plain-sql.ts';
import { createSockets } from '../../src/warehouse/db/sockets.ts';
import { daysBack } from '../parts/sizes.ts';
import type { Place } from '../programs.ts';
import { query, type Server, startServer, useServer } from '../server.ts';
import { startStandIn } from '../start-stand-in.ts';
import { capacityTable } from './capacity.ts';
import { timed, withCrew } from './crew.ts';

const { values } = parseArgs({
  options: {
    windows: { type: 'string', default: '2400' },
    many: { type: 'string', default: '20000' },
    concurrency: { type: 'string', default: '2' },
    latency: { type: 'string', default: '50' },
    server: { type: 'string' },
  },
});
const [windows, many, concurrency, latencyMs] = [
  Number(values.windows),
  Number(values.many),
  Number(values.concurrency),
  Number(values.latency),
];
const perAccount = 50;
const out = (line: string) => process.stdout.write(`${line}\n`);
const accountsFor = (count: number) =>
  Array.from({ length: Math.ceil(count / perAccount) }, (_, index) => ({ name: `account-${index + 1}` }));
const days = daysBack(perAccount).sort();
const backfill = ['backfill', '--from', days[0]!, '--to', days.at(-1)!];

type Ran = { readonly ms: number; readonly contents: string; readonly thousands: readonly number[] };

/** A backfill into a fresh database, by itself or by workers. */
async function run(
  server: Server,
  serviceUrl: string,
  count: number,
  workers: number,
  atOnce = concurrency,
): Promise<Ran> {
  return await server.withDatabase('warehouse', async (databaseUrl) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
    const place: Place = { serviceUrl, databaseUrl, folder };
    const accounts = accountsFor(count);
    try {
      if (workers === 0) return await ran(databaseUrl, await timed(place, accounts, backfill));
      const sql = openPlainSql(databaseUrl, 1, createSockets());
      await installQueue(sql);
      await sql.end();
      return await withCrew(place, accounts, workers, atOnce, async () =>
        ran(databaseUrl, await timed(place, accounts, [...backfill, '--distribute'])),
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

async function ran(databaseUrl: string, ms: number): Promise<Ran> {
  const [row] = await query<{ contents: string }>(
    databaseUrl,
    `select md5(string_agg(line, ',' order by line)) as contents from (
       select md5(to_jsonb(d) - 'loaded_at' #>> '{}') as line from warehouse.campaign_days d) lines`,
  );
  const thousands = await query<{ seconds: number }>(
    databaseUrl,
    `select extract(epoch from max(loaded_at) - min(loaded_at))::float8 as seconds
     from (select loaded_at, (row_number() over (order by loaded_at) - 1) / 1000 as thousand from etl.windows) w
     group by thousand having count(*) = 1000 order by thousand`,
  );
  return { ms, contents: row!.contents, thousands: thousands.map(({ seconds }) => seconds) };
}

/** What a window takes beside the service's answer, by one process and by one worker. */
type Beside = { alone: number; worker: number };
const besideMs = (ms: number, atOnce: number) => Math.max(0, (ms * atOnce) / windows - latencyMs);

async function workersTable(server: Server, serviceUrl: string): Promise<Beside> {
  const alone = await run(server, serviceUrl, windows, 0);
  out(
    `| ${windows.toLocaleString('en')} windows, service takes ${latencyMs} ms | seconds | windows a second | ratio |`,
  );
  out('|---|---|---|---|');
  const line = (who: string, ms: number, ratio: string) =>
    out(`| ${who} | ${(ms / 1_000).toFixed(1)} | ${Math.round(windows / (ms / 1_000))} | ${ratio} |`);
  line('one process, no queue, 8 requests at once', alone.ms, '');
  let one: number | null = null;
  for (const workers of [1, 2, 4]) {
    const { ms, contents } = await run(server, serviceUrl, windows, workers);
    if (contents !== alone.contents) throw new Error(`${workers} workers left another warehouse`);
    one ??= ms;
    line(
      `${workers} ${workers === 1 ? 'worker' : 'workers'}, ${concurrency} requests at once each`,
      ms,
      (ms / one).toFixed(2),
    );
  }
  return { alone: besideMs(alone.ms, 8), worker: besideMs(one!, concurrency) };
}

/** Gives the windows a second. */
async function thousandsTable(server: Server, serviceUrl: string): Promise<number> {
  const { ms, thousands } = await run(server, serviceUrl, many, 4, 16);
  out(`\n| ${many.toLocaleString('en')} windows, 4 workers, 16 requests at once each: thousand | seconds |`);
  out('|---|---|');
  for (const [index, seconds] of thousands.entries()) out(`| ${index + 1} | ${seconds.toFixed(1)} |`);
  const few = Math.max(1, Math.min(5, thousands.length >> 1));
  const [first, last] = [thousands.slice(0, few), thousands.slice(-few)].map(
    (some) => some.reduce((sum, each) => sum + each, 0) / some.length,
  );
  out(`| all, with start and end | ${(ms / 1_000).toFixed(1)} |`);
  out(`| last ${few} thousands / first ${few} | ${(last! / first!).toFixed(2)} |`);
  return many / (ms / 1_000);
}

const server = values.server ? await useServer(values.server) : await startServer(null);
const standIn = await startStandIn({ clients: 0, campaigns: 20, latencyMs, beforehand: null });
try {
  out(`${server.version}\n`);
  const beside = await workersTable(server, standIn.url);
  const ceiling = await thousandsTable(server, standIn.url);
  out(`\nMinutes of a runDate's windows, of which ${Math.round(ceiling)} a second are the most here\n`);
  for (const line of capacityTable({ beside, ceiling })) out(line);
} finally {
  await standIn.stop();
  await server.stop();
}
