import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject, vi } from 'vitest';

/** A database of one test or file. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Makes a fresh database on the suite's server: empty, or a copy of `template`, which nobody may be using. */
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

/** Resolves once the database can be queried: a pooler that failed to reach it waits before it tries again. */
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
  await vi.waitFor(query, { timeout: 30_000, interval: 100 });
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresAdminUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
