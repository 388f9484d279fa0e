import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '../src/job/run/database.ts';
import { openWarehouse } from '../src/warehouse/db/database.ts';
import { refreshCampaigns } from '../src/warehouse/load/campaigns.ts';
import { keepPostgres } from '../test/support/postgres-keeper.ts';
import { createTables } from './loaders.ts';

export type Server = Awaited<ReturnType<typeof useServer>>;

/** Starts a private Postgres with its default settings, fsync included. A folder `keep` keeps its data after the bench. */
export async function startServer(keep?: string): Promise<Server> {
  const directory = path.resolve(keep ?? (await mkdtemp(path.join(tmpdir(), 'callsheet-bench-'))));
  await mkdir(directory, { recursive: true });
  // Lets other users pass through: if we are root, the server runs as another user.
  await chmod(directory, 0o711);
  const debian = '/usr/lib/postgresql/15/bin';
  const binaries = existsSync(debian) ? { binaries: debian } : {};
  const postgres = await keepPostgres({ directory, temporary: keep === undefined, ...binaries });
  const server = await useServer(postgres.adminUrl);
  return { ...server, ownLog: true, stop: () => server.stop().finally(() => postgres.stop()) };
}

/** Uses a running server; the role of `adminUrl` must be allowed to create databases. */
export async function useServer(adminUrl: string) {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const template = `bench_${randomBytes(4).toString('hex')}`;
  const urlOf = (name: string) => Object.assign(new URL(adminUrl), { pathname: name }).href;
  await admin.query(`create database ${template}`);
  await migrate(urlOf(template));
  await query(urlOf(template), createTables);
  const { rows } = await admin.query('select version()');
  let created = 0;

  return {
    /** Whether it is the bench's own, whose log says what statements read. */
    ownLog: false,
    version: (rows[0].version as string).split(' (')[0]!,
    /** Does `work` with a fresh database, with Callsheet's schema and the tables of the hand-written loaders. */
    async withDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
      const name = `${template}_${created++}`;
      await admin.query(`create database ${name} template ${template}`);
      // Flushes earlier writes, whose cost isn't the program's.
      await admin.query('checkpoint');
      try {
        return await work(urlOf(name));
      } finally {
        await admin.query(`drop database ${name} with (force)`);
      }
    },
    /** The URL of a database that stays; created if it doesn't exist. */
    async keptDatabase(name: string): Promise<string> {
      const { rowCount } = await admin.query('select from pg_database where datname = $1', [name]);
      if (rowCount === 0) await admin.query(`create database ${name} template ${template}`);
      return urlOf(name);
    },
    async stop(): Promise<void> {
      await admin.query(`drop database ${template} with (force)`);
      await admin.end();
    },
  };
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

// biome-ignore lint/suspicious/noExplicitAny: each statement has its own kind of rows.
export async function query(url: string, text: string): Promise<any[]> {
  return await withClient(url, async (client) => (await client.query(text)).rows);
}

/** Keeps the statistics as they are, so that no plan depends on the moment at which autovacuum comes by. */
export async function keepStatistics(url: string): Promise<void> {
  await query(
    url,
    `do $$
     declare name regclass;
     begin
       for name in
         select oid from pg_class where relkind = 'r' and relnamespace::regnamespace::text in ('warehouse', 'etl')
       loop
         execute format('alter table %s set (autovacuum_enabled = off)', name);
       end loop;
     end $$`,
  );
}

/** Adds accounts with their clients, and days with `campaigns` campaigns for every account of the warehouse. */
export async function fillWarehouse(
  url: string,
  accounts: number,
  days: readonly string[],
  campaigns: number,
  clients = 2_000,
) {
  const statements = await readFile(path.join(import.meta.dirname, 'fill.sql'), 'utf8');
  const [first, last] = [days[0], days.at(-1)];
  await withClient(url, async (client) => {
    await client.query(statements);
    await client.query('call pg_temp.fill_accounts($1, $2, $3, $4)', [accounts, clients, first, last]);
    // A bounded number of rows at once.
    const together = Math.max(1, Math.floor(50_000 / (campaigns * Math.max(1, accounts))));
    for (let place = 0; place < days.length; place += together)
      await client.query('call pg_temp.fill_days($1, $2, $3)', [
        days[place],
        days[Math.min(place + together, days.length) - 1],
        campaigns,
      ]);
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  });
  const warehouse = openWarehouse(url, 1);
  await refreshCampaigns(warehouse);
  await warehouse.destroy();
}
