import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, inject } from 'vitest';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Creates a database on the suite's server: empty, or a copy of `template`, which must have no connections. */
export async function createDatabase({ template = 'template1' } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(`create database ${name} template ${pg.escapeIdentifier(template)}`);
  const url = new URL(inject('postgresAdminUrl'));
  url.pathname = name;
  return {
    url: url.href,
    drop: () => administer(`drop database if exists ${name} with (force)`),
  };
}

/** Sets unusual defaults for all new connections to a database. */
export async function unusualSettings(url: string): Promise<void> {
  const name = pg.escapeIdentifier(new URL(url).pathname.slice(1));
  const settings = {
    datestyle: 'SQL, DMY',
    intervalstyle: 'iso_8601',
    timezone: 'America/Santiago',
    default_transaction_isolation: 'serializable',
    bytea_output: 'escape',
    extra_float_digits: '-10',
  };
  for (const [setting, value] of Object.entries(settings))
    await administer(`alter database ${name} set ${setting} to ${pg.escapeLiteral(value)}`);
}

/** Does `work` over a connection of its own. */
export async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return await work(client).finally(() => client.end());
}

/** Returns the rows of a statement, or of the last of several, over a connection of its own. */
export const queryAt = <Row extends pg.QueryResultRow>(url: string, text: string, values?: unknown[]) =>
  connected(
    url,
    async (client): Promise<Row[]> => [await client.query<Row>(text, values)].flat().at(-1)!.rows,
  );

/** Resolves once the database can be queried: a pooler waits after it failed to reach it. */
export async function reached(url: string): Promise<void> {
  await expect.poll(() => queryAt(url, 'select')).toHaveLength(1);
}

/** Executes a statement as the superuser of the suite's server. */
export async function administer(statement: string): Promise<void> {
  await queryAt(inject('postgresAdminUrl'), statement);
}

/**
 * Resolves once `count` connections to the database wait for a lock. It polls over connections of its own, because a
 * transaction sees the same activity until it ends.
 */
export async function lockWaits(url: string, count: number): Promise<void> {
  const waiting = () =>
    queryAt(
      url,
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  await expect.poll(async () => (await waiting()).length).toBeGreaterThanOrEqual(count);
}

/** Adds a setting of Postgres to a URL, such as `lock_timeout=1s`. */
export function withSetting(databaseUrl: string, setting: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c ${setting}`);
  return url.href;
}
