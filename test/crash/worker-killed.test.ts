import fc from 'fast-check';
import { expect, it } from 'vitest';
import { setUpQueue, startWorker } from '../queue/workers.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet } from '../support/callsheet.ts';
import { readContents } from '../support/contents.ts';
import { openWorld } from '../support/world.ts';
import { seed } from './kill-points.ts';

const command = ['backfill', '--from', '2026-01-01', '--to', '2026-03-21'];
const windows = 3 * 80;
const crewSize = 3;

/** What the backfill leaves by itself. */
async function undisturbed() {
  const world = await openWorld();
  expect(await callsheet(command, world.environment)).toMatchObject({ code: 0 });
  const contents = await readContents(world, false);
  await world.close();
  return contents;
}

it(`one of three workers is killed again and again, which costs time and nothing else (TEST_KILLS_SEED=${seed})`, async () => {
  const alone = await undisturbed();
  // Of each twelve requests, in the midst of one.
  const victims = fc.sample(fc.integer({ min: 0, max: crewSize - 1 }), { seed, numRuns: 100 });
  let [requested, kills] = [0, 0];
  const world = await openWorld({
    latencyMs: 20,
    intercept: async () => {
      if (++requested % 12 === 0) replace(victims[kills++]!);
      return undefined;
    },
  });
  await setUpQueue(world.databaseUrl);
  const environment = { ...world.environment, CONCURRENCY: '4' };
  const crew = Array.from({ length: crewSize }, () => startWorker(environment));
  const exits: Promise<unknown>[] = [];
  function replace(victim: number): void {
    const { child, exit } = crew[victim]!;
    child.kill('SIGKILL');
    exits.push(exit);
    crew[victim] = startWorker(environment);
  }

  const { code, stderr } = await callsheet([...command, '--distribute'], environment);
  expect(code).toBe(0);
  expect(stderr).toContain(`${windows} days loaded`);
  expect(kills).toBeGreaterThanOrEqual(20);
  expect(await Promise.all(exits)).toEqual(Array(kills).fill([null, 'SIGKILL']));
  expect(await disagreements(world)).toEqual([]);
  expect(await readContents(world, false)).toEqual(alone);
  expect(await world.query('select from warehouse.campaign_day_restatements')).toEqual([]);
  expect(await world.query(`select from etl_queue.job where name = 'windows-dead'`)).toEqual([]);
  for (const worker of crew) await worker[Symbol.asyncDispose]();
  await world.close();
});
