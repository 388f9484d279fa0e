import { statfs } from 'node:fs/promises';
import { migrate } from '../../src/job/run/database.ts';
import { accountsOf, fillWarehouse, type Size } from '../bi/fill.ts';
import { loadDay } from '../bi/load-day.ts';
import { askDigest, askQueries } from '../bi/questions.ts';
import type { Section } from '../report.ts';
import { query } from '../server.ts';
import { campaignsAt, daysBack, inWords } from './sizes.ts';
import type { Bench } from './workload.ts';

/** What a row of campaign_days takes on disk, with indexes, all that belongs to it, and the log of its writing. */
const bytesARow = 260;

/** What BI tools and a night find in a warehouse of years: 50 accounts with 700 campaigns a day. */
export async function measureBi(bench: Bench): Promise<Section[]> {
  const days = daysBack(Math.round(bench.years * 365) + 2).slice(0, -1);
  const size: Size = {
    accounts: accountsOf(50),
    campaigns: campaignsAt(bench.scale, 700),
    first: days[0]!,
    last: days.at(-1)!,
  };
  const url = await filled(bench, size, days.length);
  const { lines, plans } = await askQueries(url, size, bench.explain);
  const digest = await askDigest(url, size);
  const all = [...lines, digest.figures];
  const slowest = Math.max(...all.map(({ figures }) => figures.queryMs!));
  const { empty, full } = await loadDay(bench, url, size);
  const rows = days.length * size.accounts.length * size.campaigns;
  const current = `${inWords(rows)} rows: ${days.length} days × ${size.accounts.length} accounts × ${size.campaigns} campaigns`;
  return [
    {
      title: `BI: ${current}`,
      lines: [...(await tableSizes(url)), ...all, digest.csv],
      targets: [{ what: 'the slowest', value: slowest, unit: 'ms', atMost: 200 }],
      notes: plans,
    },
    {
      title: `A day of ${size.accounts.length} accounts × ${size.campaigns} campaigns`,
      lines: [
        { what: 'into an empty warehouse', figures: empty },
        { what: 'into that one', figures: full },
      ],
      targets: [{ what: 'full ÷ empty', value: full.wallMs / empty.wallMs, unit: '×', atMost: 1.2 }],
    },
  ];
}

/** A warehouse of that size: filled, or found filled by an earlier bench, and brought to the newest schema. */
async function filled({ server, say }: Bench, size: Size, days: number): Promise<string> {
  const name = `bench_bi_${size.first}_${size.last}_${size.campaigns}`.replaceAll('-', '');
  const url = await server.keptDatabase(name);
  await migrate(url);
  const [known] = await query<{ last: string | null }>(url, 'select max(day)::text as last from etl.windows');
  if (known!.last === size.last) return url;
  if (known!.last !== null) throw new Error(`database ${name} is half filled: drop it`);
  await requireDisk(server.folder, days * size.accounts.length * size.campaigns * bytesARow);
  await fillWarehouse(url, size, say);
  return url;
}

async function requireDisk(folder: string | null, bytes: number): Promise<void> {
  if (folder === null) return;
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize > bytes * 1.2) return;
  const gigabytes = (size: number) => `${Math.ceil(size / 1e9)} GB`;
  throw new Error(
    `${gigabytes(bytes)} are needed in ${folder}, and ${gigabytes(bavail * bsize)} are free: --keep DIR, or --years 1`,
  );
}

async function tableSizes(url: string) {
  const rows = await query<{ what: string; rows: string; bytes: string }>(
    url,
    `select relname as what, reltuples::bigint as rows, pg_total_relation_size(oid) as bytes from pg_class
     where relnamespace = 'warehouse'::regnamespace and relkind in ('r', 'p') order by 3 desc limit 3`,
  );
  return rows.map(({ what, rows, bytes }) => ({
    what,
    figures: { rows: Number(rows), bytes: Number(bytes) },
  }));
}
