import { promises as fs } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { FileMigrationProvider, type MigrationInfo, Migrator } from 'kysely/migration';
import { schemaTooNew } from './failures.ts';
import type { Warehouse } from './tables.ts';

const folder = path.resolve(import.meta.dirname, '../../migrations');

/** Each migration and, where it was applied, when. */
export type MigrationState = { readonly name: string; readonly appliedAt: Date | null };

/** Brings the schema to the newest; gives the names of the migrations it applied. Several at once wait in turn. */
export async function migrateToLatest(warehouse: Warehouse): Promise<string[]> {
  const { error, results } = await migrator(warehouse).migrateToLatest();
  // Kysely's Migrator never throws.
  if (error instanceof Error && /corrupted migrations.*missing/i.test(error.message))
    throw schemaTooNew(error.message);
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

export async function migrationStates(warehouse: Warehouse): Promise<MigrationState[]> {
  const migrations: readonly MigrationInfo[] = await migrator(warehouse).getMigrations();
  return migrations.map(({ name, executedAt }) => ({ name, appliedAt: executedAt ?? null }));
}

/** Names of the migrations that this version brings and the database lacks; told by their names, without loading them. */
export async function pendingMigrations(warehouse: Warehouse): Promise<string[]> {
  const files = (await fs.readdir(folder)).map((file) => path.parse(file).name).sort();
  const applied = new Set(await appliedMigrations(warehouse));
  return files.filter((name) => !applied.has(name));
}

async function appliedMigrations(warehouse: Warehouse): Promise<string[]> {
  const { rows: found } = await sql`select where to_regclass('etl.migrations') is not null`.execute(
    warehouse,
  );
  if (found.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from etl.migrations`.execute(warehouse);
  return rows.map((row) => row.name);
}

function migrator(warehouse: Warehouse): Migrator {
  return new Migrator({
    db: warehouse,
    provider: new FileMigrationProvider({ fs, path, migrationFolder: folder }),
    migrationTableSchema: 'etl',
    migrationTableName: 'migrations',
    migrationLockTableName: 'migrations_lock',
    // By code point: the order must not depend on a locale.
    nameComparator: (one, other) => (one < other ? -1 : one > other ? 1 : 0),
  });
}
