import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

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

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresAdminUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
