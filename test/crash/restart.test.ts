import pg from 'pg';
import { expect, it } from 'vitest';
import { migrate } from '../../src/job/run/database.ts';
import { freshDirectory, start } from '../private-postgres/private-servers.ts';
import { reached } from '../support/database.ts';
import { mailsLongAgo, type World } from '../support/world.ts';
import { expectHealed, expectReported, runDisturbed, settings } from './disturbing.ts';
import { runUndisturbed } from './killing.ts';
import { openScene } from './scene.ts';

it('a run whose Postgres is restarted ends with a line that reports it, and the next run completes it', async () => {
  await using scene = await openScene();
  const undisturbed = await runUndisturbed(settings);
  const directory = await freshDirectory();
  const server = await start(directory);
  await migrate(server.url);
  await queried(server.url, mailsLongAgo);
  const environment = { ...scene.environment, DATABASE_URL: server.url };

  // It waits for a commit.
  const ending = await runDisturbed({ environment }, 10, async () => {
    await server.stop();
    expect((await start(directory, new URL(server.url).port)).url).toBe(server.url);
  });
  expectReported(
    ending,
    /^callsheet: (the database can't be used|the connection that held the run lock died)/,
  );
  await reached(environment.DATABASE_URL);

  await queried(server.url, ({ query }) => expectHealed({ environment, query }, undisturbed));
});

async function queried(
  url: string,
  work: (queries: Pick<World, 'query'>) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await work({ query: async (text, values) => (await client.query(text, values)).rows });
  await client.end();
}
