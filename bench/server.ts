import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '../src/job/run/database.ts';
import { keepPostgres } from '../test/support/postgres-keeper.ts';
import { createTables } from './loaders/tables.ts';

export type Template = 'warehouse' | 'loaders';

export type Server = {
  /** `PostgreSQL 15.14 …` */
  readonly version: string;
  /** Where the data lie; null on a server that isn't ours. */
  readonly folder: string | null;
  /** Does `work` with a fresh database: Callsheet's schema, or the tables of the hand-written loaders. */
  withDatabase<T>(template: Template, work: (url: string) => Promise<T>): Promise<T>;
  /** A database that stays; made empty where there is none yet. */
  keptDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
};

const debian = '/usr/lib/postgresql/15/bin';

/** Starts a private Postgres with its own settings, fsync included; in `keep` its data outlast the bench. */
export async function startServer(keep: string | null): Promise<Server> {
  const directory =
    keep === null ? await mkdtemp(path.join(tmpdir(), 'callsheet-bench-')) : path.resolve(keep);
  await mkdir(directory, { recursive: true });
  // Open to pass through: as root, the server runs as another user.
  await chmod(directory, 0o711);
  const kept = await keepPostgres({
    directory,
    temporary: keep === null,
    ...(existsSync(debian) && { binaries: debian }),
  });
  const server = await useServer(kept.adminUrl);
  return { ...server, folder: kept.directory, stop: () => server.stop().finally(() => kept.stop()) };
}

/** Uses a server that runs already, by the address of a database of one who may make others. */
export async function useServer(adminUrl: string): Promise<Server> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const run = randomBytes(4).toString('hex');
  const urlOf = (name: string) => Object.assign(new URL(adminUrl), { pathname: name }).href;
  const nameOf = (template: Template) => `bench_${run}_${template}`;
  await makeTemplates(admin, nameOf, urlOf);
  const { rows } = await admin.query('select version()');
  let made = 0;

  return {
    version: rows[0].version.split(' (')[0],
    folder: null,
    async withDatabase(template, work) {
      const name = `bench_${run}_${made++}`;
      await admin.query(`create database ${name} template ${nameOf(template)}`);
      // What was written before must not be flushed at our expense.
      await admin.query('checkpoint');
      try {
        return await work(urlOf(name));
      } finally {
        await admin.query(`drop database ${name} with (force)`);
      }
    },
    async keptDatabase(name) {
      const known = await admin.query('select from pg_database where datname = $1', [name]);
      if (known.rowCount === 0) await admin.query(`create database ${pg.escapeIdentifier(name)}`);
      return urlOf(name);
    },
    async stop() {
      for (const template of templates) await admin.query(`drop database ${nameOf(template)} with (force)`);
      await admin.end();
    },
  };
}

const templates: readonly Template[] = ['warehouse', 'loaders'];

async function makeTemplates(
  admin: pg.Client,
  nameOf: (template: Template) => string,
  urlOf: (name: string) => string,
): Promise<void> {
  for (const template of templates) await admin.query(`create database ${nameOf(template)}`);
  await migrate(urlOf(nameOf('warehouse')));
  await query(urlOf(nameOf('loaders')), createTables);
}

/** One query on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
