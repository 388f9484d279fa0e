import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../../src/job/run/database.ts';
import { common } from '../../private-postgres/private-servers.ts';
import { callsheet } from '../../support/callsheet.ts';
import { type KeptPostgres, keepPostgres } from '../../support/postgres-keeper.ts';
import { scratchFolder } from '../../support/scratch.ts';

/** A cluster of its own: in the suite's, other databases hold on to the role. */
let server: KeptPostgres;
beforeAll(async () => {
  const directory = await scratchFolder('callsheet-cluster-');
  server = await keepPostgres({ directory, temporary: true, ...common });
});
afterAll(() => server?.stop());

async function as<Row>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows as Row[];
    return rows;
  } finally {
    await client.end();
  }
}

function at(database: string, role?: string): string {
  const url = new URL(server.adminUrl);
  url.pathname = database;
  if (role) [url.username, url.password] = [role, role];
  return url.href;
}

it('callsheet_reader is made once where databases are migrated at the same time, or its SQL is printed, which is all that is needed', async () => {
  const databases = ['one', 'two', 'three', 'four'];
  for (const database of databases) await as(server.adminUrl, `create database ${database}`);
  const migrated = await Promise.all(databases.map((database) => migrate(at(database))));
  expect(migrated.map(({ readerSql }) => readerSql)).toEqual([[], [], [], []]);
  await as(server.adminUrl, `alter role callsheet_reader login password 'callsheet_reader'`);
  for (const database of databases) {
    await as(at(database, 'callsheet_reader'), 'select from campaign_days');
    for (const forbidden of ['select from etl.windows', 'delete from warehouse.clients'])
      await expect(as(at(database), 'set role callsheet_reader', forbidden)).rejects.toThrow(
        'permission denied',
      );
  }
  for (const database of databases) await as(server.adminUrl, `drop database ${database}`);
  await as(server.adminUrl, 'drop role callsheet_reader');

  await as(server.adminUrl, `create role plain login password 'plain'`);
  await as(server.adminUrl, 'create database "Plain one" owner plain');
  const environment = { DATABASE_URL: at('Plain one', 'plain') };
  const { code, stdout, stderr } = await callsheet(['migrate'], environment);
  expect(code).toBe(0);
  expect(stderr).toContain('may not set up callsheet_reader');
  // As it is typed: whatever is on stdout goes to psql.
  expect(stdout).toMatch(/^create role callsheet_reader nologin;\n/);
  await as(at('Plain one'), stdout);
  await as(server.adminUrl, `alter role callsheet_reader login password 'callsheet_reader'`);
  expect(await as(at('Plain one', 'callsheet_reader'), 'select * from coverage')).toEqual([]);
  expect(await migrate(environment.DATABASE_URL)).toEqual({ applied: [], readerSql: [] });
});
