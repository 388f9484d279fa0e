import { existsSync } from 'node:fs';
import path from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { Failure } from '../../model/errors.ts';
import { embeddedPrograms, startPrivatePostgres } from '../../private-postgres/server.ts';
import { asTyped, commandLine } from '../../support/commands.ts';
import { sslModeOf } from '../../support/database-url.ts';
import { formatCountOf } from '../../support/english.ts';
import type { Logger } from '../../support/logger.ts';
import type { Redactor } from '../../support/redaction.ts';
import type { DatabaseAddress } from '../../warehouse/db/connection.ts';
import { openWarehouse, type Queries } from '../../warehouse/db/database.ts';
import { migrateToLatest, pendingMigrations } from '../../warehouse/schema/migrate.ts';
import { missingReaderSql } from '../../warehouse/schema/reader-role.ts';

export type Database = {
  readonly url: DatabaseAddress;
  close(): Promise<void>;
};

/** The folder of the private Postgres, below the working directory. */
const privateDirectory = '.callsheet';

/** Exists once a command has made the private Postgres. */
export const privateDataFolder = `${privateDirectory}/postgres`;

/** A shell command that opens psql on it while a command runs. Port and password are in its folder. */
const privateQuery = `PGPASSWORD=$(cat ${privateDataFolder}/password) psql "host=127.0.0.1 port=$(sed -n 4p ${privateDataFolder}/data/postmaster.pid) user=callsheet dbname=callsheet"`;

/** Returns what somebody types to look into the warehouse. psql asks for the password of a shared one. */
export function psqlCommand({ config, secrets }: LoadedConfig): string {
  const address = secrets.databaseUrl();
  if (address === null) return privateQuery;
  const url = new URL(address);
  url.password = '';
  const typed = commandLine('psql', url.href);
  if (sslModeOf(url) !== 'verify-full' || url.searchParams.has('sslrootcert')) return typed;
  // Unlike Node, libpq brings no authorities along.
  const authorities = config.certificatesFile ?? '/etc/ssl/certs/ca-certificates.crt';
  return `PGSSLROOTCERT=${commandLine(authorities)} ${typed}`;
}

/** Says at the end of a command where the figures are, if that is a private Postgres. */
export function logPrivateDatabase({ secrets }: LoadedConfig, log: Logger): void {
  if (secrets.databaseUrl() !== null) return;
  log.info(`the warehouse is in ${privateDataFolder}; while schedule runs, look into it: ${privateQuery}`);
}

/** The database of `DATABASE_URL`, or a private one. */
export async function openDatabase({ secrets }: LoadedConfig, log: Logger): Promise<Database> {
  const url = secrets.databaseAddress();
  if (url !== null) return { url, close: async () => {} };
  const database = await openPrivateDatabase(privateDirectory, secrets.redactor, log);
  // Afterwards: if there is none, as in the image, the failure says so in one line.
  log.warn('DATABASE_URL is not set: using a private Postgres, for trying out only');
  return database;
}

/**
 * The database of `DATABASE_URL`, or an existing private one. Throws a configuration Failure if there is none.
 */
export async function openExistingDatabase(config: LoadedConfig, log: Logger): Promise<Database> {
  if (config.secrets.databaseUrl() === null && !existsSync(path.join(privateDirectory, 'postgres'))) {
    // In the image no run makes one: that is the failure then.
    embeddedPrograms();
    const first = config.config.accounts.length === 0 ? 'init' : 'run';
    throw new Failure(
      'INVALID_CONFIGURATION',
      `there is no database yet: DATABASE_URL is not set, and there is no private one in ${path.resolve(privateDirectory)}`,
      { advice: `set DATABASE_URL; or, to try it out, create a private one: ${asTyped(first)}` },
    );
  }
  return await openDatabase(config, log);
}

/** A private Postgres below `directory`, prepared if it is new, started and migrated. It ends with `close`. */
export async function openPrivateDatabase(
  directory: string,
  redactor: Redactor,
  log: Logger,
  prepare: (url: string) => Promise<unknown> = migrate,
): Promise<Database> {
  const server = await startPrivatePostgres({
    directory: path.resolve(directory),
    log: (message) => log.debug(message),
  });
  redactor.learn(new URL(server.url).password);
  try {
    await prepare(server.url);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { url: server.url, close: server.stop };
}

/** The applied migrations, and the SQL that a role with more rights has to run for `callsheet_reader`. */
export type Migrated = { readonly applied: readonly string[]; readonly readerSql: readonly string[] };

/** Brings a database to the newest schema; `onWait` gets a line if another session keeps it waiting. */
export async function migrate(url: string, onWait: (line: string) => void = () => {}): Promise<Migrated> {
  const applied = await migrateToLatest(url, onWait);
  await using warehouse = openWarehouse(url, 1);
  return { applied, readerSql: await missingReaderSql(warehouse) };
}

/** Throws a Failure if the schema is older or newer than this version. */
export async function requireSchema(warehouse: Queries): Promise<void> {
  const pending = await pendingMigrations(warehouse);
  if (pending.length === 0) return;
  throw new Failure(
    'SCHEMA_TOO_OLD',
    `the schema of the warehouse lacks ${formatCountOf(pending.length, 'migration')}, from ${pending[0]}`,
    { advice: `run: ${asTyped('migrate')}` },
  );
}
