import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { examineDatabase } from '../../../src/warehouse/schema/examine.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { createStranger, type TestRole } from '../../support/role.ts';

let database: TestDatabase;
let owner: pg.Client;
let role: TestRole;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  role = await createStranger();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(`grant usage on schema warehouse, etl to ${role.name};
    grant select on all tables in schema warehouse, etl to ${role.name}`);
});
afterAll(async () => {
  await owner.end();
  await database.drop();
  await role.drop();
});

async function finding() {
  const findings = await examineDatabase(role.url(database.url));
  return findings.find(({ subject }) => subject === 'schema');
}

it('a role must be able to write rows and to take the run lock', async () => {
  const mayNot = {
    status: 'error',
    exitCode: 78,
    message: 'the role may not write to it',
    advice: expect.stringContaining(`: grant usage on schema warehouse, etl to ${role.name}; grant select,`),
  };
  expect(await finding()).toMatchObject(mayNot);
  await owner.query(`grant update on etl.run_lock to ${role.name}`);
  expect(await finding()).toMatchObject(mayNot);
  await owner.query(`grant insert on etl.campaign_days to ${role.name};
    revoke update on etl.run_lock from ${role.name}`);
  expect(await finding()).toMatchObject(mayNot);
  await owner.query(`grant update on etl.run_lock to ${role.name}`);
  expect(await finding()).toMatchObject({ status: 'ok', message: 'is up to date and writable' });
});
