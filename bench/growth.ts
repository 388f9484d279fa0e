import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { formatCount } from '../src/support/english.ts';
import { runNight } from '../test/support/nights.ts';
import { startService, tokenOf } from './fixed-responses.ts';
import { fillWarehouse, query } from './server.ts';
import type { Line, Section } from './tables.ts';
import { type Bench, daysBack, scaled } from './workload.ts';

const typical = { clients: 300, campaigns: 200 };

/** Measures the size of the database: a million rows of campaigns, and a year of one account. */
export async function measureGrowth(bench: Bench): Promise<Section[]> {
  return [await measureRows(bench), await measureYear(bench)];
}

async function measureRows(bench: Bench): Promise<Section> {
  const campaigns = scaled(bench, 1_000);
  const [accounts, days] = [10, daysBack(100)];
  const rows = campaigns * accounts * days.length;
  const lines = await bench.server.withDatabase(async (url) => {
    await fillWarehouse(url, accounts, days, campaigns);
    return await query(
      url,
      `select what, ${rows}::float8 as rows, bytes::float8 as bytes
       from (select 1, 'campaign_days, the table', pg_table_size('etl.campaign_days')
         union select 2, 'its indexes', pg_indexes_size('etl.campaign_days')) t (n, what, bytes)
       order by n`,
    );
  });
  return {
    title: `Growth: ${formatCount(rows)} rows of campaign_days`,
    lines: lines.map(asLine),
    targets: [],
  };
}

/** Runs the real job for forty days, and extrapolates the growth of the last thirty to a year. */
async function measureYear(bench: Bench): Promise<Section> {
  const nights = daysBack(Math.max(8, scaled(bench, 40)));
  const first = Math.floor(nights.length / 4);
  const service = await startService({ ...typical, changing: true });
  const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
  const lines = await bench.server.withDatabase(async (url) => {
    const environment = {
      SERVICE_BASE_URL: service.url,
      SIDTOKEN: tokenOf(1),
      DATABASE_URL: url,
      OUTBOX_DIR: folder,
    };
    let before = new Map<string, Size>();
    for (const [index, night] of nights.entries()) {
      if (index === first) before = await sizesOf(url);
      await runNight({ environment }, night);
    }
    const share = 365 / (nights.length - first);
    const grown = [...(await sizesOf(url))].map(([what, { rows, bytes }]) => ({
      what,
      rows: (rows - before.get(what)!.rows) * share,
      bytes: (bytes - before.get(what)!.bytes) * share,
    }));
    return grown
      .filter(({ what, bytes }) => bytes >= 1e5 || what === 'etl.rejects')
      .sort((one, other) => other.bytes - one.bytes);
  });
  await service.stop();
  await rm(folder, { recursive: true });
  const account = `an account with ${typical.clients} clients and ${typical.campaigns} campaigns a day`;
  return { title: `Growth: a year of ${account}, one digest a day`, lines: lines.map(asLine), targets: [] };
}

type Size = { readonly rows: number; readonly bytes: number };

async function sizesOf(url: string): Promise<Map<string, Size>> {
  await query(url, 'vacuum (analyze)');
  const tables = await query(
    url,
    `select n.nspname || '.' || relname as what, greatest(reltuples, 0)::float8 as rows,
       pg_total_relation_size(c.oid)::float8 as bytes
     from pg_class c join pg_namespace n on n.oid = relnamespace
     where n.nspname in ('warehouse', 'etl') and relkind = 'r'`,
  );
  return new Map(tables.map(({ what, rows, bytes }) => [what, { rows, bytes }]));
}

const asLine = ({ what, ...figures }: Size & { readonly what: string }): Line => ({ what, figures });
