import { afterAll, expect, it } from 'vitest';
import { examineDatabase } from '../../../src/warehouse/schema/examine.ts';
import { createStranger } from '../../support/role.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const role = await createStranger();
// After the database, which has grants to it.
afterAll(() => role.drop());
const { client: owner, databaseUrl } = await openTestWarehouse(1);

async function finding() {
  const findings = await examineDatabase(role.url(databaseUrl));
  return findings.find(({ subject }) => subject === 'schema');
}

it('a role must be able to write rows and to take the run lock', async () => {
  await owner.query(`grant usage on schema warehouse, etl to ${role.name};
    grant select on all tables in schema warehouse, etl to ${role.name}`);
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
