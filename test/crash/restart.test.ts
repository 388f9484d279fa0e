import pg from 'pg';
import { expect, it } from 'vitest';
import { migrate } from '../../src/job/database.ts';
import { freshDirectory, start } from '../warehouse/private-servers.ts';
import { expectHealed, expectTold, runDisturbed, settings } from './disturbing.ts';
import { runUndisturbed } from './killing.ts';
import { openScene } from './scene.ts';

it('a run whose Postgres is stopped and started again ends with a line that says so, and is healed', async () => {
  await using scene = await openScene();
  const undisturbed = await runUndisturbed(settings);
  const directory = await freshDirectory();
  const server = await start(directory);
  await migrate(server.url);
  const environment = { ...scene.environment, DATABASE_URL: server.url };

  const ending = await runDisturbed({ environment }, server.url, 10, async () => {
    await server.stop();
    expect((await start(directory)).url).toBe(server.url);
  });
  expectTold(ending, /^callsheet: (the database can't be used|the connection that held the run lock died)/);
  expect(ending.seconds).toBeLessThan(10);

  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const query: typeof scene.query = async (text, values) => (await client.query(text, values)).rows;
  await expectHealed({ environment, query }, undisturbed);
  await client.end();
});
