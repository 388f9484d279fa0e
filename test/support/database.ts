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

/** Resolves once the database can be queried: a pooler waits after it failed to reach it. */
export async function reached(url: string): Promise<void> {
  const query = async () => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query('select 1');
    } finally {
      await client.end();
    }
  };
  await expect.poll(query).toBeUndefined();
}

/** Executes a statement as the superuser of the suite's server. */
export async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresAdminUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Resolves once `count` connections to the database wait for a lock. It polls over its own connection, because a
 * transaction sees the same activity until it ends.
 */
export async function lockWaits(url: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const waiting = async () => {
      const { rows } = await client.query(
        `select count(*)::integer as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0].waiting;
    };
    await expect.poll(waiting).toBeGreaterThanOrEqual(count);
  } finally {
    await client.end();
  }
}

/** Adds a setting of Postgres to a URL, such as `lock_timeout=1s`. */
export function withSetting(databaseUrl: string, setting: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('options', `-c ${setting}`);
  return url.href;
}
