/**
 * How much memory a digest takes: one of 1,000,000 rows must peak at no more than 1.3 times one of 10,000.
 * Each is built in a process of its own, as a run builds it and as `digest --preview` writes it: `npm run bench:digest`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { migrate } from '../src/job/run/database.ts';
import { startPrivatePostgres } from '../src/private-postgres/server.ts';
import { openWarehouse } from '../src/warehouse/db/database.ts';

const most = 1.3;
const days = [
  { day: '2026-11-18', rows: 10_000 },
  { day: '2026-11-19', rows: 1_000_000 },
];
const child = path.join(import.meta.dirname, 'digest-memory-child.ts');
const out = (line: string) => process.stdout.write(`${line}\n`);

/** Two accounts with half of the rows each, and a history for the chart. */
async function fill(databaseUrl: string): Promise<void> {
  const warehouse = openWarehouse(databaseUrl, 1);
  await sql`
    insert into warehouse.accounts (name, label, time_zone, since)
    values ('north', 'North office', 'UTC', '2026-11-01'), ('coast', 'Coast office', 'UTC', '2026-11-01')
  `.execute(warehouse);
  for (const { day, rows } of days) {
    await sql`
      insert into warehouse.campaign_days
        (account_id, day, callset_id, campaign, attempts, busies, connects, live_answers, loaded_at)
      select account_id, ${day}::date, n, 'Campaign ' || md5(n::text), n % 1000, n % 100, n % 600, n % 400, now()
      from warehouse.accounts, generate_series(1, ${rows / 2}::integer) n
    `.execute(warehouse);
  }
  await sql`
    insert into warehouse.account_days
    select account_id, d::date, 500, 100000 + extract(day from d) * 1000, 10000, 60000, 40000, false, now()
    from warehouse.accounts, generate_series(timestamp '2026-11-01', '2026-11-19', interval '1 day') d
  `.execute(warehouse);
  await sql`insert into etl.windows (account_id, day, state) select account_id, day, 'loaded' from warehouse.account_days`.execute(
    warehouse,
  );
  await sql`analyze warehouse.campaign_days`.execute(warehouse);
  await warehouse.destroy();
}

/** Peak memory of a process that makes the digest of a day, in megabytes, and its seconds. */
async function measure(databaseUrl: string, how: 'build' | 'preview', day: string, folder: string) {
  const process_ = spawn(process.execPath, [child, databaseUrl, how, day, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(process_.stdout), once(process_, 'close')]);
  if (code !== 0) throw new Error(`${how} of ${day} ended with ${code}`);
  return JSON.parse(output) as { megabytes: number; seconds: number; csv: string };
}

const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
const server = await startPrivatePostgres({ directory: folder, log: () => {} });
try {
  await migrate(server.url);
  await fill(server.url);
  for (const how of ['build', 'preview'] as const) {
    const peaks = [];
    for (const { day, rows } of days) {
      const { megabytes, seconds, csv } = await measure(server.url, how, day, folder);
      out(
        `${how.padEnd(7)}  ${rows.toLocaleString('en-GB').padStart(9)} rows  ${megabytes.toFixed(0).padStart(4)} MB  ${seconds.toFixed(1).padStart(5)} s  CSV ${csv}`,
      );
      peaks.push(megabytes);
    }
    const ratio = peaks[1]! / peaks[0]!;
    out(
      `${how.padEnd(7)}  ${ratio.toFixed(2)} times the memory, ${ratio <= most ? 'within' : 'ABOVE'} ${most}`,
    );
    if (ratio > most) process.exitCode = 1;
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
