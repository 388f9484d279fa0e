import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readServed } from '../server/site.ts';
import { callsheet } from '../support/callsheet.ts';
import { runNight } from '../support/nights.ts';
import { startWithoutZones } from '../support/postgres-without-zones.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('a zone that Node knows and Postgres does not', () => {
  let postgres: Awaited<ReturnType<typeof startWithoutZones>>;
  let environment: World['environment'];
  beforeAll(async () => {
    postgres = await startWithoutZones('US');
    const file = path.join(world.folder, 'zones.json');
    await writeFile(
      file,
      JSON.stringify([
        { name: 'north', sidtoken: 'a-token-of-north', time_zone: 'Europe/Madrid' },
        { name: 'coast', sidtoken: 'a-token-of-coast', time_zone: 'US/Eastern' },
      ]),
    );
    environment = { ...world.environment, ACCOUNTS_FILE: file, DATABASE_URL: postgres.url };
  });
  afterAll(() => postgres?.stop());

  const message = "the database doesn't know the time zone of 1 account (account coast: US/Eastern)";
  const advice =
    'use its name of today in ACCOUNTS_FILE or TIME_ZONE, such as America/New_York for US/Eastern; or install tzdata-legacy where Postgres runs';

  it('ends a run at its start with 78, naming the account and a name to use', async () => {
    const { code, stderr } = await callsheet(['run'], { ...environment, LOG_FORMAT: 'pretty' });
    expect(code).toBe(78);
    expect(stderr).toContain(`${message}: ${advice}`);
    expect(world.simulator.journal).toEqual([]);
  });

  it('is found by doctor', async () => {
    const { code, stdout } = await callsheet(['doctor'], environment);
    expect(code).toBe(78);
    expect(stdout).toContain(`✗ database  time zones`);
    expect(stdout).toContain(message);
    expect(stdout).toContain(advice);
  });
});

describe('a recorded zone that nobody knows', () => {
  it('leaves status, page and metrics of all accounts as they are', async () => {
    await runNight(world, '2026-03-03');
    const read = async () => {
      const { code, stdout } = await callsheet(['status', '--json'], world.environment);
      return { code, accounts: JSON.parse(stdout).accounts };
    };
    const before = await read();
    await world.query(`update warehouse.accounts set time_zone = 'Mars/Olympus' where name = 'coast'`);
    expect(await read()).toEqual(before);
    for (const served of await readServed(world.databaseUrl, ['/', '/metrics']))
      expect(served).toContain('coast');
  });
});
