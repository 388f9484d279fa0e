import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/job/run/database.ts';
import { keepPostgres } from './postgres-keeper.ts';
import { scratchFolder } from './scratch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgresAdminUrl: string;
  }
}

// Nothing has to reach the disk: the data is lost after the suite.
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '256MB',
  max_connections: 200,
};

/**
 * Starts one Postgres for the whole suite. TEST_POSTGRES_BIN selects the programs of another version:
 * `TEST_POSTGRES_BIN=/usr/lib/postgresql/15/bin npm test`.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await scratchFolder('callsheet-test-');
  const binaries = process.env.TEST_POSTGRES_BIN;
  const server = await keepPostgres({
    directory,
    settings,
    temporary: true,
    ...(binaries ? { binaries } : {}),
  });

  await makeTemplate(server.adminUrl);

  project.provide('postgresAdminUrl', server.adminUrl);
  return server.stop;
}

async function makeTemplate(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query('create database migrated');
  await client.end();
  const url = new URL(adminUrl);
  url.pathname = 'migrated';
  await migrate(url.href);
}
