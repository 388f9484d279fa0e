import { hash } from 'node:crypto';
import { promises as fs } from 'node:fs';
import path from 'node:path';
import { type Kysely, sql } from 'kysely';
import { FileMigrationProvider, type Migration, Migrator } from 'kysely/migration';
import { Failure } from '../../model/errors.ts';
import { formatCountOf, plural } from '../../support/english.ts';
import { openWarehouse, type Queries } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { requireWritable } from '../db/writable.ts';
import { grantsTo } from '../failures.ts';

const folder = path.resolve(import.meta.dirname, '../../../migrations');

/** Time until `migrate` prints that it is still running. */
const quietMs = 10_000;
// Kysely locks migrations by an advisory lock, which any role may take.
const waiting =
  "migrate is still running, or waits for another migrate to end; if another session holds its lock, end that session with: select pg_terminate_backend(pid) from pg_stat_activity join pg_locks using (pid) where datname = current_database() and locktype = 'advisory' and granted";

/**
 * Migrates to the latest schema, and returns the names of the applied migrations. Concurrent calls wait for
 * each other, an hour at most.
 *
 * @param onWait called with a line if it takes long
 */
export async function migrateToLatest(url: string, onWait: (line: string) => void): Promise<string[]> {
  // No timeout: a migration may rewrite a table, however long that takes.
  const db = openWarehouse(url, 1, 0);
  const timer = setTimeout(() => onWait(waiting), quietMs);
  try {
    // Before the Migrator, which would leave its tables behind, and looks at names alone.
    await refuseUnfit(db);
    await refuseOtherSchema(db);
    // Even if nothing is pending: a run could write nothing.
    await requireWritable(db);
    const migrator = new Migrator({
      db,
      provider: { getMigrations: recordedMigrations },
      migrationTableSchema: 'etl',
      migrationTableName: 'migrations',
      migrationLockTableName: 'migrations_lock',
      // By code point: the order must not depend on a locale.
      nameComparator: (one, other) => (one < other ? -1 : one > other ? 1 : 0),
    });
    const { error, results } = await migrator.migrateToLatest();
    // Kysely's Migrator never throws.
    if (error) {
      // Another process may have migrated it meanwhile.
      await refuseOtherSchema(db);
      const { rows } = await sql<{ role: string; database: string; mayCreate: boolean }>`
        select quote_ident(current_user) as role, quote_ident(current_database()) as database,
          has_database_privilege(current_database(), 'create') as "mayCreate"
      `.execute(db);
      const { role, database, mayCreate } = rows[0]!;
      if (mayCreate) throw error;
      throw misconfigured(
        `the role ${role} may not create schemas in the database ${database}`,
        `as its owner, type: grant create on database ${database} to ${role};`,
      );
    }
    return (results ?? []).map((result) => result.migrationName);
  } finally {
    clearTimeout(timer);
    await db.destroy();
  }
}

/** The migrations of this version. Each records the content of its file in the transaction that applies it. */
async function recordedMigrations(): Promise<Record<string, Migration>> {
  const migrations = await new FileMigrationProvider({
    fs,
    path,
    migrationFolder: folder,
  }).getMigrations();
  const hashes = await migrationHashes();
  const record = ([name, { up }]: [string, Migration]): [string, Migration] => [
    name,
    {
      up: async (db: Kysely<Tables>) => {
        await up(db);
        const sha256 = hashes.get(name)!;
        await db.insertInto('etl.migration_contents').values({ name, sha256 }).execute();
      },
    },
  ];
  return Object.fromEntries(Object.entries(migrations).map(record));
}

/**
 * Throws a Failure if the database can't have the warehouse: it has another encoding, or isn't migrated and a schema of ours is
 * somebody else's.
 */
export async function refuseUnfit(db: Queries): Promise<void> {
  const { rows } = await sql<{ database: string; encoding: string; taken: string | null }>`
    select current_database() as database, current_setting('server_encoding') as encoding,
      (select min(nspname) from pg_namespace n
       where nspname = 'warehouse' or nspname = 'etl' and exists (
         select from pg_class c
         where relnamespace = n.oid and relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not ${isMigrationTable}
       )) as taken
  `.execute(db);
  const { database, encoding, taken } = rows[0]!;
  // Another process may have migrated it since.
  if (taken !== null && (await appliedMigrations(db)).size === 0)
    throw misconfigured(
      `the database ${database} has a schema ${taken} that isn't Callsheet's`,
      `give Callsheet a database of its own, ${ownDatabase(database)}`,
    );
  if (encoding !== 'UTF8')
    throw misconfigured(
      `the database ${database} has the encoding ${encoding}, which lacks characters that names may have`,
      `create one with UTF8, ${ownDatabase(database)}`,
    );
}

const misconfigured = (detail: string, advice: string) =>
  new Failure('INVALID_CONFIGURATION', detail, { advice });

/** Advises another database than this one. With the locale C and template0 its command works on a server of any encoding and locale. */
export function ownDatabase(unfit: string): string {
  const name = unfit === 'callsheet' ? 'callsheet_warehouse' : 'callsheet';
  return `with -h, -p and -U as in DATABASE_URL: createdb --locale=C --encoding=UTF8 --template=template0 ${name}; and name it in DATABASE_URL`;
}

/** A row of `pg_class c` in `etl` is a table of the Migrator, and not of another program. */
const isMigrationTable = sql<boolean>`(c.relname = 'migrations_lock' or c.relname = 'migrations' and
  (select count(*) = 2 from pg_attribute where attrelid = c.oid and attname in ('name', 'timestamp')))`;

/** Returns the names of the migrations that the database lacks. Throws a Failure if the schema is of another version. */
export async function pendingMigrations(warehouse: Queries): Promise<string[]> {
  const applied = await refuseOtherSchema(warehouse);
  return [...(await migrationHashes()).keys()].filter((name) => !applied.has(name));
}

/**
 * Returns the applied migrations. Throws a Failure if the schema has one that this version lacks, or has with another
 * content.
 */
export async function refuseOtherSchema(warehouse: Queries): Promise<ReadonlyMap<string, Applied>> {
  const hashes = await migrationHashes();
  const migrations = await appliedMigrations(warehouse);
  const applied = [...migrations];
  const edited = applied.filter(([name, { sha256 }]) => hashes.has(name) && hashes.get(name) !== sha256);
  if (edited.length > 0)
    throw misconfigured(
      `the schema of the warehouse was made by a version before 1.0.0, or by edited migrations: ${formatCountOf(edited.length, 'migration')} ${plural(edited.length, 'differs', 'differ')} from this version, from ${edited[0]![0]} on`,
      'use the version of Callsheet that made it; or name an empty database in DATABASE_URL (without it, move .callsheet away), migrate it, and load the days again with backfill',
    );
  const unknown = applied.filter(([name]) => !hashes.has(name));
  if (unknown.length > 0)
    throw misconfigured(
      `the schema of the warehouse is newer than this version, by ${formatCountOf(unknown.length, 'migration')} from ${unknown[0]![0]}`,
      'upgrade Callsheet',
    );
  return migrations;
}

/** Returns the migrations of this version; `appliedAt` is null if one hasn't been applied. */
export async function migrationStates(warehouse: Queries) {
  const applied = await appliedMigrations(warehouse);
  const names = [...(await migrationHashes()).keys()];
  return names.map((name) => ({ name, appliedAt: applied.get(name)?.appliedAt ?? null }));
}

let hashes: ReadonlyMap<string, string> | undefined;

/** Returns the SHA-256 of the file of each migration by name, in their order: those that this process found first. */
export async function migrationHashes(): Promise<ReadonlyMap<string, string>> {
  if (hashes !== undefined) return hashes;
  // They are read without loading them.
  const files = (await fs.readdir(folder)).filter((file) => file.endsWith('.ts')).sort();
  const hashOf = async (file: string) => {
    const text = await fs.readFile(path.join(folder, file), 'utf8');
    // A checkout on Windows may have other line ends.
    const sha256 = hash('sha256', text.replaceAll('\r\n', '\n'));
    return [path.parse(file).name, sha256] as const;
  };
  hashes = new Map(await Promise.all(files.map(hashOf)));
  return hashes;
}

/** An applied migration: its time, as the Migrator recorded it, and its content; null before contents were recorded. */
type Applied = { readonly appliedAt: string; readonly sha256: string | null };

async function appliedMigrations(warehouse: Queries): Promise<ReadonlyMap<string, Applied>> {
  const { rows } = await sql<{ owner: string; role: string; mayRead: boolean; isRecorded: boolean }>`
    select c.relowner::regrole::text as owner, quote_ident(current_user) as role,
      has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select') as "mayRead",
      exists (
        select from pg_class o where o.relnamespace = n.oid and o.relname = 'migration_contents') as "isRecorded"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'etl' and c.relname = 'migrations' and ${isMigrationTable}
  `.execute(warehouse);
  const [table] = rows;
  if (table === undefined) return new Map();
  const { role, owner, mayRead, isRecorded } = table;
  if (!mayRead)
    throw misconfigured(
      `the role ${role} may not use the schema of the warehouse, which belongs to ${owner}`,
      `as ${owner}, type: ${grantsTo(role)}`,
    );
  const { rows: applied } = await sql<Applied & { name: string }>`
    select name, timestamp as "appliedAt", ${sql.raw(isRecorded ? 'sha256' : 'null')} as sha256
    from etl.migrations ${sql.raw(isRecorded ? 'left join etl.migration_contents using (name)' : '')}
    order by name
  `.execute(warehouse);
  return new Map(applied.map(({ name, appliedAt, sha256 }) => [name, { appliedAt, sha256 }]));
}
