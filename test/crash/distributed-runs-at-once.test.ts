import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { setUpQueue, startWorker } from '../queue/workers.ts';
import { disagreements } from '../support/agreement.ts';
import { ended, startCallsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
  await setUpQueue(world.databaseUrl);
});
afterEach(() => world.close());

const days = ['--from', '2026-03-01', '--to', '2026-03-10'];
const run = ['run', ...days, '--no-digest', '--distribute'];
const backfill = ['backfill', ...days, '--distribute'];
const queued = async () => (await world.query(`select from etl_queue.job where name = 'windows'`)).length;
const until = (expected: () => Promise<unknown>) => vi.waitFor(expected, { timeout: 30_000, interval: 50 });
const requests = () => world.simulator.journal.filter(({ operation }) => operation === 'campaignSummary');

/** Starts a command, and kills it when its windows are in the queue. */
async function killOnceQueued(command: readonly string[]): Promise<void> {
  const child = startCallsheet(command, world.environment);
  child.stdout.resume();
  child.stderr.resume();
  const exit = once(child, 'exit');
  await until(async () => expect(await queued()).toBe(30));
  child.kill('SIGKILL');
  expect(await exit).toEqual([null, 'SIGKILL']);
}

describe('a window that two want', () => {
  it('is in the queue once, and both get its result', async () => {
    const first = ended(startCallsheet(backfill, world.environment));
    await until(async () => expect(await queued()).toBe(30));
    const second = ended(startCallsheet(run, world.environment));
    await until(async () => expect(await world.query('select from etl.runs')).toHaveLength(2));
    await using _worker = startWorker(world.environment);
    expect([await first, await second]).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(requests()).toHaveLength(30);
    const tallies = await world.query(`select summary->'windows'->'loaded' as loaded from etl.runs`);
    expect(tallies).toEqual([{ loaded: 30 }, { loaded: 30 }]);
    expect(await disagreements(world)).toEqual([]);
  });
});

describe('the windows of a run that was killed', () => {
  it('are not requested twice where the run is repeated before they are synced', async () => {
    await killOnceQueued(run);
    const again = ended(startCallsheet(run, world.environment));
    await until(async () => expect(await world.query('select from etl.runs')).toHaveLength(2));
    await using _worker = startWorker(world.environment);
    expect(await again).toMatchObject({ code: 0 });
    expect(requests()).toHaveLength(30);
    const [stats] = await world.query(`select summary->'windows' as windows from etl.runs where run_id = 2`);
    expect(stats).toMatchObject({ windows: { loaded: 30, failed: 0 } });
    expect(await disagreements(world)).toEqual([]);
  });
});
