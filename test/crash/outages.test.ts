import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/job/run/database.ts';
import { freshDirectory, start } from '../private-postgres/private-servers.ts';
import { reached } from '../support/database.ts';
import { mailsLongAgo } from '../support/world.ts';
import { bounded, expectHealed, expectReported, runDisturbed, settings, unusable } from './disturbing.ts';
import { runUndisturbed } from './killing.ts';
import { endSessions, holdsLock, openScene } from './scene.ts';

const undisturbed = await runUndisturbed(settings);

describe.concurrent('a run', () => {
  it('that loses the connection of the run lock stops, reports it, and the next run completes it', async () => {
    await using scene = await openScene();
    const ending = await runDisturbed(scene, 10, async () => {
      expect(await endSessions(scene, holdsLock)).toHaveLength(1);
    });
    expectReported(ending, /^callsheet: the connection that held the run lock died: check/);
    const loaded = await scene.query(`select 1 from etl.windows where state = 'loaded'`);
    expect(loaded.length).toBeLessThan(30);
    await expectHealed(scene, undisturbed);
  });

  it('that is cut off from the database for good ends with a line that reports it, and the next run completes it', async () => {
    await using scene = await openScene();
    const ending = await runDisturbed(scene, 10, async (proxy) => {
      proxy.refuse(true);
      void proxy.cut();
    });
    // Whichever notices first: the run lock or a statement.
    expectReported(
      ending,
      new RegExp(`${unusable.source}|^callsheet: the connection that held the run lock died: check`),
    );
    await expectHealed(scene, undisturbed);
  });

  it('whose database stops responding without closing a connection ends with a line that reports it, and the next run completes it', async () => {
    await using scene = await openScene();
    const ending = await runDisturbed(scene, 10, async (proxy) => proxy.fallSilent());
    expectReported(ending, /^callsheet: the connection that held the run lock fell silent: check/);
    expect(ending.code).toBe(69);
    await expectHealed(scene, undisturbed);
  });

  it('that never reaches the database ends with 69 and a line that reports it', async () => {
    await using scene = await openScene();
    const url = new URL(scene.environment.DATABASE_URL!);
    url.port = '1';
    const ending = await bounded({ ...scene.environment, DATABASE_URL: url.href });
    expectReported(ending, unusable);
    expect(ending.code).toBe(69);
  });
});

// Not among the concurrent ones: a server ends with the test that is the current one.
it('a run whose Postgres is restarted ends with a line that reports it, and the next run completes it', async () => {
  await using scene = await openScene();
  const directory = await freshDirectory();
  const server = await start(directory);
  await migrate(server.url);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await mailsLongAgo({ query: async (text, values) => (await client.query(text, values)).rows });
  await client.end();
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
  await reached(server.url);
  const again = new pg.Client({ connectionString: server.url });
  await again.connect();
  const query: typeof scene.query = async (text, values) => (await again.query(text, values)).rows;
  await expectHealed({ environment, query }, undisturbed);
  await again.end();
});
