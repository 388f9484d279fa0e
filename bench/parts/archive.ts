import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { campaignSummary, clientPage, pageLimit } from '../bodies.ts';
import type { Line, Section } from '../report.ts';
import { query } from '../server.ts';
import { archivePages, archiveWindows, type Heard, loadPages, loadWindows } from './archive-functions.ts';
import { campaignsAt, clientsAt, daysBack, inWords } from './sizes.ts';
import type { Bench } from './workload.ts';

/** What the archive costs in time and bytes, of the answers of W1 and of W2: function by function, in this process. */
export async function measureArchive(bench: Bench): Promise<Section[]> {
  const clients = clientsAt(bench.scale, 100_000);
  const pages = Array.from({ length: clients / pageLimit }, (_, index) => ({
    day: null,
    body: clientPage(index + 1, clients),
  }));
  const campaigns = campaignsAt(bench.scale, 5_000);
  const days = daysBack(30).map((day) => ({ day, body: campaignSummary(1, day, campaigns) }));
  const of = (rows: string) => `Archive: the answers of ${rows}`;
  return [
    await cost(bench, of(`W1, ${inWords(pages.length)} pages`), pages, loadPages, archivePages),
    await cost(bench, of(`W2, ${days.length} days`), days, loadWindows, archiveWindows),
  ];
}

type Load = (url: string, answers: readonly Heard[]) => Promise<number>;

async function cost(
  { server, say }: Bench,
  title: string,
  answers: readonly Heard[],
  load: Load,
  archive: Load,
): Promise<Section> {
  const whole = await server.withDatabase('warehouse', async (url) => {
    const workMs = await load(url, answers);
    return { workMs, sizes: await sizes(url) };
  });
  const alone = await server.withDatabase('warehouse', (url) => archive(url, answers));
  say(title);
  const bodies = answers.map(({ body }) => Buffer.from(body));
  const lines: Line[] = [
    { what: 'load and archive', figures: { workMs: whole.workMs } },
    { what: 'the archive alone', figures: { workMs: alone } },
    {
      what: 'of which zstd',
      figures: { workMs: timed(() => bodies.forEach((body) => void zstdCompressSync(body))) },
    },
    {
      what: 'of which SHA-256',
      figures: { workMs: timed(() => bodies.forEach((body) => void sha256(body))) },
    },
    ...whole.sizes.lines,
  ];
  const { told, kept, archiveBytes, warehouseBytes } = whole.sizes;
  const share = (what: string, value: number) => ({ what, value, unit: '×', atMost: null }) as const;
  return {
    title,
    lines,
    targets: [
      share('time of the archive ÷ the whole', alone / whole.workMs),
      share('bytes after zstd ÷ before', kept / told),
      share('archive ÷ warehouse, on disk', archiveBytes / warehouseBytes),
    ],
  };
}

async function sizes(url: string) {
  const [row] = await query<Record<string, string>>(
    url,
    `select count(*) as bodies, sum(size) as told, sum(length(zstd)) as kept,
       (select count(*) from etl.responses) as fetches,
       pg_total_relation_size('etl.response_bodies') + pg_total_relation_size('etl.responses') as archive,
       (select sum(pg_total_relation_size(oid)) from pg_class
        where relnamespace = 'warehouse'::regnamespace and relkind = 'r') as warehouse
     from etl.response_bodies`,
  );
  const of = (name: string) => Number(row![name]);
  const lines: Line[] = [
    { what: 'bodies as they came', figures: { rows: of('fetches'), bytes: of('told') } },
    { what: 'bodies as they are kept', figures: { rows: of('bodies'), bytes: of('kept') } },
    { what: 'the archive on disk, indexes included', figures: { bytes: of('archive') } },
    { what: 'schema warehouse on disk', figures: { bytes: of('warehouse') } },
  ];
  return {
    lines,
    told: of('told'),
    kept: of('kept'),
    archiveBytes: of('archive'),
    warehouseBytes: of('warehouse'),
  };
}

function timed(work: () => void): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

const sha256 = (body: Buffer) => createHash('sha256').update(body).digest();
