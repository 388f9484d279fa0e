import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../../src/job/run/database.ts';
import { common } from '../../private-postgres/private-servers.ts';
import { callsheet } from '../../support/callsheet.ts';
import { queryAt } from '../../support/database.ts';
import { type KeptPostgres, keepPostgres } from '../../support/postgres-keeper.ts';
import { scratchFolder } from '../../support/scratch.ts';

/** A cluster of its own: in the suite's, other databases hold on to the role. */
let server: KeptPostgres;
beforeAll(async () => {
  const directory = await scratchFolder('callsheet-cluster-');
  server = await keepPostgres({ directory, temporary: true, ...common });
});
afterAll(() => server?.stop());

function at(database: string, role?: string): string {
  const url = new URL(server.adminUrl);
  url.pathname = database;
  if (role) [url.username, url.password] = [role, role];
  return url.href;
}

it('callsheet_reader is made once where databases are migrated at the same time, or its SQL is printed, which is all that is needed', async () => {
  const databases = ['one', 'two', 'three', 'four'];
  for (const database of databases) await queryAt(server.adminUrl, `create database ${database}`);
  const migrated = await Promise.all(databases.map((database) => migrate(at(database))));
  expect(migrated.map(({ readerSql }) => readerSql)).toEqual([[], [], [], []]);
  await queryAt(server.adminUrl, `alter role callsheet_reader login password 'callsheet_reader'`);
  for (const database of databases)
    await queryAt(at(database, 'callsheet_reader'), 'select from campaign_days');
  for (const database of databases) await queryAt(server.adminUrl, `drop database ${database}`);
  await queryAt(server.adminUrl, 'drop role callsheet_reader');

  await queryAt(server.adminUrl, `create role plain login password 'plain'`);
  await queryAt(server.adminUrl, 'create database "Plain one" owner plain');
  const environment = { DATABASE_URL: at('Plain one', 'plain') };
  const { code, stdout, stderr } = await callsheet(['migrate'], environment);
  expect(code).toBe(0);
  expect(stderr).toContain('may not set up callsheet_reader');
  // As it is typed: whatever is on stdout goes to psql.
  expect(stdout).toMatch(/^create role callsheet_reader nologin;\n/);
  await queryAt(at('Plain one'), stdout);
  await queryAt(server.adminUrl, `alter role callsheet_reader login password 'callsheet_reader'`);
  expect(await queryAt(at('Plain one', 'callsheet_reader'), 'select * from coverage')).toEqual([]);
  expect(await migrate(environment.DATABASE_URL)).toEqual({ applied: [], readerSql: [] });
});
