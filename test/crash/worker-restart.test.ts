import pg from 'pg';
import { expect, it } from 'vitest';
import { migrate } from '../../src/job/run/database.ts';
import { freshDirectory, start } from '../private-postgres/private-servers.ts';
import { setUpQueue, startWorker } from '../queue/workers.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { reached } from '../support/database.ts';
import { openWorld } from '../support/world.ts';

it('a worker whose Postgres is restarted reports the outage, and continues', async () => {
  const directory = await freshDirectory();
  const server = await start(directory);
  await migrate(server.url);
  await setUpQueue(server.url);
  let requested = 0;
  let restart: Promise<unknown> | undefined;
  const world = await openWorld({
    intercept: async () => {
      if (++requested === 10) restart = restartOnceReported();
      await restart;
      return undefined;
    },
  });
  const environment = { ...world.environment, DATABASE_URL: server.url };
  const backfill = ['backfill', '--from', '2026-03-01', '--to', '2026-03-10', '--distribute'];
  await using worker = startWorker(environment, '--concurrency', '2');
  const warnings = () =>
    worker.lines.filter((line) => line.includes("the queue: the database can't be used"));
  /** It's away until worker and run have found out, however seldom they query. */
  async function restartOnceReported() {
    await server.stop();
    await expect.poll(warnings).not.toEqual([]);
    await first;
    await start(directory, new URL(server.url).port);
  }
  const first = callsheet(backfill, environment);
  const { code, stderr } = await first;
  expect({ code, reported: stderr.split('\n').at(-2) }).toEqual({
    code: 69,
    reported: expect.stringMatching(/^callsheet: the database can't be used/),
  });
  await restart;
  await reached(server.url);
  expect(await callsheet(backfill, environment)).toMatchObject({ code: 0 });
  expect(worker.child.exitCode).toBe(null);
  expect(warnings()).not.toEqual([]);
  // Queried twice a second, logged now and then.
  expect(worker.lines.length).toBeLessThan(12);

  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  const query: typeof world.query = async (text, values) => (await client.query(text, values)).rows;
  expect(await query(`select from etl.windows where state = 'loaded'`)).toHaveLength(30);
  expect(await disagreements({ ...world, query })).toEqual([]);
  await client.end();
  await world.close();
});
