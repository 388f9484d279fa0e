import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pageLimit, type ServiceOptions, startService } from './fixed-responses.ts';
import { environment, type ListedAccount, measure } from './measure.ts';
import { query, type Server } from './server.ts';
import { type Figures, medians, type Section, type Target } from './tables.ts';

export type Bench = {
  readonly server: Server;
  readonly runs: number;
  /** Share of the real size. */
  readonly scale: number;
  /** Years of the warehouse that `bi` fills. */
  readonly years: number;
  /** Folder for CPU profiles of Callsheet's processes. */
  readonly profile?: string | undefined;
  /** Folder for the plans of the statements of `bi` and `first-night`. */
  readonly plans?: string | undefined;
};

/** A program that does the work or a part of it. */
export type Contender = {
  readonly name: string;
  readonly args: readonly string[];
  /** Prepares a database and returns its URL; without it, the database is fresh. Growth is measured in fresh ones only. */
  readonly database?: () => Promise<string>;
  /** The number of clients, campaign days and digests that it must load, else the measurement is an error. */
  readonly loads?: number;
  readonly service?: ServiceOptions;
  /** Settings that aren't the default. */
  readonly settings?: NodeJS.ProcessEnv;
  /** Starts other processes that the program needs, and returns how to stop them. */
  readonly startHelpers?: (databaseUrl: string, env: NodeJS.ProcessEnv) => Promise<() => Promise<void>>;
};

export type Workload = {
  readonly service: ServiceOptions;
  readonly accounts?: readonly ListedAccount[];
  readonly contenders: readonly Contender[];
  /** The title of each pass over the same database: a second pass finds everything loaded. */
  readonly passes: readonly string[];
  readonly targets?: (of: (contender: string) => Figures, pass: number) => readonly Target[];
};

/** Measures the contenders in turn, `runs` times. Returns a section with the medians for each pass. */
export async function measureWorkload({ server, runs }: Bench, workload: Workload): Promise<Section[]> {
  const { service, accounts, contenders, passes } = workload;
  const measured = passes.map(() => contenders.map((): Figures[] => []));
  const fresh = contenders.every(({ database }) => database === undefined);
  const measurePasses = async (databaseUrl: string, contender: Contender, folder: string) => {
    const { url: serviceUrl, stop } = await startService({ ...service, ...contender.service });
    const env = await environment({ serviceUrl, databaseUrl, folder }, accounts);
    const stopHelpers = await contender.startHelpers?.(databaseUrl, env);
    try {
      for (const [pass, title] of passes.entries()) {
        const before = fresh ? await readContents(databaseUrl) : {};
        const took = await measure(contender.args, { ...env, ...contender.settings });
        const after = fresh ? await readContents(databaseUrl) : {};
        measured[pass]![contenders.indexOf(contender)]!.push({ ...took, ...growth(before, after) });
        process.stderr.write(`${title}: ${contender.name} ${took.wallMs!.toFixed(0)} ms\n`);
        await requireRows(databaseUrl, contender);
      }
    } finally {
      await stopHelpers?.();
      await stop();
    }
  };
  for (let run = 1; run <= runs; run++) {
    for (const contender of contenders) {
      const folder = await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'));
      const work = (databaseUrl: string) => measurePasses(databaseUrl, contender, folder);
      await (contender.database ? work(await contender.database()) : server.withDatabase(work));
      await rm(folder, { recursive: true });
    }
  }
  return passes.map((title, pass) => {
    const lines = contenders.map(({ name }, index) => ({
      what: name,
      figures: medians(measured[pass]![index]!),
    }));
    const figuresOf = (name: string) => lines.find(({ what }) => what === name)!.figures;
    return { title, lines, targets: workload.targets?.(figuresOf, pass) ?? [] };
  });
}

async function requireRows(databaseUrl: string, { name, loads }: Contender): Promise<void> {
  if (loads === undefined) return;
  const rows = await countRows(databaseUrl, loadedTables);
  if (rows !== loads) throw new Error(`${name}: ${rows} rows instead of ${loads}`);
}

/** Callsheet's tables, then those of the hand-written loaders. */
const loadedTables = [
  'warehouse.clients',
  'etl.campaign_days',
  `etl.deliveries where state = 'written'`,
  'clients',
  'campaign_days',
];

/** Rows, bytes of tables with their indexes, and bytes of write-ahead log, which is the whole server's. */
type Contents = Pick<Figures, 'rows' | 'bytes' | 'walBytes'>;

async function readContents(url: string): Promise<Contents> {
  const [{ tables, ...sizes }] = await query(
    url,
    `select array_agg(oid::regclass::text) as tables, sum(pg_total_relation_size(oid))::float8 as bytes,
       pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as "walBytes"
     from pg_class
     where relkind = 'r' and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema')`,
  );
  return { rows: await countRows(url, tables), ...sizes };
}

function growth(before: Contents, after: Contents): Contents {
  const names = Object.keys(after) as (keyof Contents)[];
  return Object.fromEntries(names.map((name) => [name, after[name]! - before[name]!]));
}

async function countRows(url: string, tables: readonly string[]): Promise<number> {
  const counts = tables.map((table) => `(select count(*) from ${table})`);
  const [{ rows }] = await query(url, `select (${counts.join(' + ')})::float8 as rows`);
  return rows;
}

/** The last `count` days up to yesterday, in UTC, oldest first. */
export function daysBack(count: number): string[] {
  const today = Temporal.Now.plainDateISO('UTC');
  return Array.from({ length: count }, (_, index) => today.subtract({ days: count - index }).toString());
}

/** The count at the bench's scale, at least 1; clients fill whole pages. */
export const scaled = ({ scale }: Bench, count: number) => Math.max(1, Math.round(count * scale));
export const scaledClients = (bench: Bench, count: number) => scaled(bench, count / pageLimit) * pageLimit;

/** Node's options for a process of Callsheet: with `--profile`, a CPU profile of it. */
export const profiling = ({ profile }: Bench) =>
  profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
