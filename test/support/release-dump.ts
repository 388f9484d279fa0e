import { promises as fs } from 'node:fs';
import path from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { FileMigrationProvider, Migrator } from 'kysely/migration';
import pg from 'pg';
import { migrationHashes } from '../../src/warehouse/schema/migrate.ts';
import { connected } from './database.ts';

const migrations = path.resolve(import.meta.dirname, '../../migrations');

/** The warehouse of a release: its migrations and all rows. It replaces pg_dump, which no npm package has. */
export type ReleaseDump = {
  /** The SHA-256 of each migration's file, by name. */
  readonly migrations: Readonly<Record<string, string>>;
  /** The rows of each table as JSON text from Postgres: bigints and numerics keep all digits. */
  readonly tables: Readonly<Record<string, string>>;
};

export async function dumpRelease(url: string): Promise<ReleaseDump> {
  return await connected(url, async (client) => {
    const tables: Record<string, string> = {};
    const names = await tablesOf(client);
    if (names.length === 0) throw new Error('the database has no table of a release');
    for (const table of names) {
      const { rows } = await client.query(
        `select coalesce(json_agg(t order by t::text), '[]')::text as rows from ${table} t`,
      );
      tables[table] = rows[0].rows;
    }
    return { migrations: Object.fromEntries(await migrationHashes()), tables };
  });
}

/** Restores a dump into an empty database, with the schema of its release. */
export async function restoreRelease(url: string, dump: ReleaseDump): Promise<void> {
  await migrateTo(url, Object.keys(dump.migrations).sort().at(-1)!);
  await connected(url, async (client) => {
    // Skips the checks of foreign keys: rows are inserted table by table.
    await client.query(`set session_replication_role = 'replica'`);
    for (const [table, rows] of Object.entries(dump.tables)) {
      const columns = await columnsOf(client, table);
      await client.query(
        `insert into ${table} (${columns}) overriding system value
         select ${columns} from json_populate_recordset(null::${table}, $1)`,
        [rows],
      );
      await advanceIdentity(client, table);
    }
  });
}

async function migrateTo(url: string, last: string): Promise<void> {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) }),
  });
  try {
    const { error } = await new Migrator({
      db,
      provider: new FileMigrationProvider({ fs, path, migrationFolder: migrations }),
      migrationTableSchema: 'etl',
      migrationTableName: 'migrations',
      migrationLockTableName: 'migrations_lock',
    }).migrateTo(last);
    if (error) throw error;
  } finally {
    await db.destroy();
  }
}

/** The columns of a table that Postgres doesn't compute. */
async function columnsOf(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows[0]!.columns;
}

async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('warehouse', 'etl') and tablename not like 'migrations%' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Advances the identity past the restored keys. */
async function advanceIdentity(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query(
    `select attname as column from pg_attribute where attrelid = $1::regclass and attidentity <> ''`,
    [table],
  );
  for (const { column } of rows)
    await client.query(
      `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${column}), 0) + 1, false) from ${table}`,
      [table, column],
    );
}
