import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/job/run/database.ts';
import { freshDirectory, start } from '../private-postgres/private-servers.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet, type Ended } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { queryAt, reached } from '../support/database.ts';
import { type PostgresProxy, startPostgresProxy } from '../support/postgres-proxy.ts';
import { mailsLongAgo } from '../support/world.ts';
import { lockFreed, runUndisturbed } from './killing.ts';
import { command, openScene, type Scene } from './scene.ts';

/** One after the other, so that a disturbance happens at the same point each time. */
const settings = { CONCURRENCY: '1' };
const undisturbed = await runUndisturbed(settings);

/** Runs the command, and disturbs it while it waits for the commit of its tenth window. */
async function runDisturbed(
  { environment }: Pick<Scene, 'environment'>,
  disturb: (proxy: PostgresProxy) => Promise<unknown>,
): Promise<Ended> {
  let windows = 0;
  let disturbance: Promise<unknown> | undefined;
  const proxy = await startPostgresProxy(environment.DATABASE_URL!, {
    async beforeCommit({ statements }) {
      if (!statements.some((text) => text.includes('first_loaded_at')) || ++windows !== 10) return;
      disturbance = disturb(proxy);
      await disturbance;
    },
  });
  const ending = await callsheet(command, { ...environment, ...settings, DATABASE_URL: proxy.url });
  expect(disturbance, `it was disturbed: ${ending.stderr}`).toBeDefined();
  await disturbance;
  await proxy.close();
  return ending;
}

const unusable =
  "the database can't be used(: no response)? \\(.+\\): check that (it runs|the database is running)";

/** The run ends with a code to retry by and one line for people beside the log, without a stack. */
function expectReported({ code, stdout, stderr }: Ended, line: string): void {
  const reported = stderr.split('\n').filter((text) => text !== '' && !text.startsWith('{'));
  expect({ reported, stdout }).toEqual({
    reported: [expect.stringMatching(new RegExp(`^callsheet: (${line})`))],
    stdout: '',
  });
  expect(stderr).not.toMatch(/^\s+at |\\n\s+at /m);
  expect([69, 75]).toContain(code);
}

/** Nothing is half loaded, and a quiet run leaves what it leaves where nothing happened. */
async function expectHealed(scene: Pick<Scene, 'environment' | 'query'>): Promise<void> {
  expect(await disagreements(scene, 0)).toEqual([]);
  await lockFreed(scene);
  expect(await callsheet(command, { ...scene.environment, ...settings })).toMatchObject({ code: 0 });
  expect(await disagreements(scene)).toEqual([]);
  expect(await readContents(scene)).toEqual(undisturbed.contents);
}

describe.concurrent('a run ends with a line that says why, and the next one completes it, where', () => {
  it('the connection of the run lock is lost', async () => {
    await using scene = await openScene();
    const ending = await runDisturbed(scene, async () => {
      const ended = await scene.query(
        `select pg_terminate_backend(pid, 10000) from pg_locks join pg_database on pg_database.oid = database
         where datname = current_database() and relation = 'etl.run_lock'::regclass and granted`,
      );
      expect(ended).toHaveLength(1);
    });
    expectReported(ending, 'the connection that held the run lock died: check');
    const loaded = await scene.query(`select 1 from etl.windows where state = 'loaded'`);
    expect(loaded.length).toBeLessThan(30);
    await expectHealed(scene);
  });

  it('it is cut off from the database for good', async () => {
    await using scene = await openScene();
    const ending = await runDisturbed(scene, async (proxy) => {
      proxy.refuse(true);
      void proxy.cut();
    });
    // Whichever notices first: the run lock or a statement.
    expectReported(ending, `${unusable}|the connection that held the run lock died: check`);
    await expectHealed(scene);
  });
});

// Not among the concurrent ones: a server ends with the test that is the current one.
it('a run ends with a line that says why, and the next one completes it, where Postgres is restarted', async () => {
  await using scene = await openScene();
  const directory = await freshDirectory();
  const server = await start(directory);
  await migrate(server.url);
  const query: Scene['query'] = (text, values) => queryAt(server.url, text, values);
  await mailsLongAgo({ query });
  const environment = { ...scene.environment, DATABASE_URL: server.url };
  const ending = await runDisturbed({ environment }, async () => {
    await server.stop();
    expect((await start(directory, new URL(server.url).port)).url).toBe(server.url);
  });
  expectReported(ending, "the database can't be used|the connection that held the run lock died");
  await reached(server.url);
  await expectHealed({ environment, query });
});
