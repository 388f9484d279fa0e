import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setUpQueue, startWorker } from '../queue/workers.ts';
import { disagreements } from '../support/agreement.ts';
import { callsheet, ended, startCallsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

/** The simulator responds to so many requests; the others wait until the gate is opened. */
let gate: PromiseWithResolvers<void>;
let free: number;
let world: World;
beforeEach(async () => {
  gate = Promise.withResolvers();
  free = Number.POSITIVE_INFINITY;
  world = await openWorld({
    intercept: async () => {
      if (free-- <= 0) await gate.promise;
      return undefined;
    },
  });
  await setUpQueue(world.databaseUrl);
});
afterEach(() => world.close());

const days = ['--from', '2026-03-01', '--to', '2026-03-10'];
const backfill = ['backfill', ...days, '--distribute'];
const jobs = (state: string) =>
  world.query(`select singleton_key as key from etl_queue.job where name = 'windows' and state = $1`, [
    state,
  ]);
const loaded = async () => (await world.query(`select from etl.windows where state = 'loaded'`)).length;
const until = (expected: () => Promise<unknown>) => vi.waitFor(expected, { timeout: 30_000, interval: 50 });

describe('a run that is interrupted while workers sync its windows', () => {
  it('ends at once, and leaves no job of its own behind', async () => {
    free = 4;
    await using _worker = startWorker(world.environment, '--concurrency', '2');
    const child = startCallsheet(backfill, world.environment);
    const ending = ended(child);
    await until(async () => expect([await loaded(), (await jobs('created')).length > 0]).toEqual([4, true]));
    child.kill('SIGINT');
    expect(await ending).toMatchObject({ code: 130 });
    expect([...(await jobs('created')), ...(await jobs('retry')), ...(await jobs('active'))]).toEqual([]);
    expect(await world.query('select outcome from etl.runs')).toEqual([{ outcome: 'interrupted' }]);
    gate.resolve();
    free = Number.POSITIVE_INFINITY;
    expect(await callsheet(backfill, world.environment)).toMatchObject({ code: 0 });
    expect(await loaded()).toBe(30);
    expect(await disagreements(world)).toEqual([]);
  });
});

describe('a worker that gets SIGTERM', () => {
  it('finishes what is in flight, takes no further window, and another worker syncs the rest', async () => {
    free = 0;
    const child = startCallsheet(backfill, world.environment);
    const ending = ended(child);
    await using first = startWorker(world.environment, '--concurrency', '2');
    await until(async () => expect(await jobs('active')).toHaveLength(4));
    first.child.kill('SIGTERM');
    gate.resolve();
    expect(await first.exit).toEqual([143, null]);
    expect([await loaded(), await jobs('active')]).toEqual([4, []]);
    await using _second = startWorker(world.environment);
    expect(await ending).toMatchObject({ code: 0 });
    expect(await loaded()).toBe(30);
    expect(await disagreements(world)).toEqual([]);
    expect(world.simulator.journal, 'nothing was requested twice').toHaveLength(30);
  });

  it('returns windows to the queue whose response is late', async () => {
    free = 0;
    const child = startCallsheet(backfill, world.environment);
    const ending = ended(child);
    await using worker = startWorker(world.environment, '--concurrency', '2');
    await until(async () => expect(await jobs('active')).toHaveLength(4));
    worker.child.kill('SIGTERM');
    expect(await worker.exit).toEqual([143, null]);
    expect([await jobs('active'), (await jobs('retry')).length]).toEqual([[], 4]);
    child.kill('SIGTERM');
    expect(await ending).toMatchObject({ code: 143 });
    gate.resolve();
  });
});
