import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/job/run/database.ts';
import { embeddedPrograms } from '../../src/private-postgres/server.ts';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { readPages } from '../server/site.ts';
import { callsheet } from '../support/callsheet.ts';
import { runNight } from '../support/nights.ts';
import { keepPostgres } from '../support/postgres-keeper.ts';
import { scratchFolder } from '../support/scratch.ts';
import { openWorld, type World } from '../support/world.ts';

/* A zone that Node knows and Postgres doesn't, as of version 13 of Debian. */

let world: World;
let postgres: Awaited<ReturnType<typeof startWithoutZones>>;
let environment: World['environment'];
beforeAll(async () => {
  [world, postgres] = await Promise.all([openWorld(), startWithoutZones('US')]);
  environment = {
    ...world.environment,
    ACCOUNTS_FILE: '',
    ACCOUNT_NAME: 'coast',
    SIDTOKEN: generateDataset().accounts.find(({ name }) => name === 'coast')!.token,
    TIME_ZONE: 'US/Eastern',
    DATABASE_URL: postgres.url,
  };
});
afterAll(async () => {
  await world.close();
  await postgres.stop();
});

const message = "the database doesn't know the time zone of 1 account (account coast: US/Eastern)";

it('ends a run at its start with 78, and doctor finds it, too, both naming the account and a name to use', async () => {
  const run = await callsheet(['run'], { ...environment, LOG_FORMAT: 'pretty' });
  expect(run.code).toBe(78);
  expect(run.stderr).toMatch(`${message}: use its current name`);
  expect(world.simulator.journal).toEqual([]);
  const doctor = await callsheet(['doctor'], environment);
  expect(doctor.code).toBe(78);
  expect(doctor.stdout).toContain(message);
  expect(doctor.stdout).toContain('for example America/New_York for US/Eastern');
});

it('leaves status, page and metrics as they are, if a later version of Postgres has lost the zone', async () => {
  await runNight(world, '2026-03-03');
  const read = async () => {
    const { code, stdout } = await callsheet(['status', '--json', '--all'], world.environment);
    return { code, accounts: JSON.parse(stdout).accounts };
  };
  const before = await read();
  await world.query(`update warehouse.accounts set time_zone = 'Mars/Olympus' where name = 'coast'`);
  expect(await read()).toEqual(before);
  for (const served of await readPages(world.databaseUrl, ['/', '/metrics']))
    expect(served).toContain('coast');
});

/** Starts a Postgres without the time zones of a folder, such as `US`, and migrates a database. */
async function startWithoutZones(zones: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = await scratchFolder('callsheet-zones-');
  const native = path.join(folder, 'native');
  await cp(path.dirname(embeddedPrograms()), native, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith(path.join('timezone', zones)),
  });
  const server = await keepPostgres({
    directory: path.join(folder, 'server'),
    binaries: path.join(native, 'bin'),
    temporary: true,
  });
  await migrate(server.url);
  return {
    url: server.url,
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
