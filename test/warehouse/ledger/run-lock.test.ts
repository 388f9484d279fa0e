import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeRunLock } from '../../../src/warehouse/ledger/run-lock.ts';
import { callsheet } from '../../support/callsheet.ts';
import { withSetting } from '../../support/database.ts';
import { runInProgress } from '../../support/run-in-progress.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** A session that ends answers before it frees its locks. */
async function expectFree(): Promise<void> {
  const takeAndRelease = async () => {
    const lock = await takeRunLock(world.databaseUrl);
    await lock?.release();
    return lock;
  };
  await expect.poll(takeAndRelease).not.toBeNull();
}

it('lets one run work at a time; the other ends with 75 and names the holder', async () => {
  const first = await runInProgress(world.databaseUrl);
  // What waits for the lock fails by the bound, with another error than that of a lock that is held.
  expect(await takeRunLock(withSetting(world.databaseUrl, 'statement_timeout=60s'))).toBeNull();
  const second = await callsheet(['run', '--day', '2026-03-02'], world.environment);
  expect(second.code).toBe(75);
  expect(second.stderr).toMatch(/another run is running \(run \d+ on elsewhere, since /);
  await first.release();
  expect((await callsheet(['run', '--day', '2026-03-02'], world.environment)).code).toBe(0);
});

it('is lost with its connection, which is reported, and is free again', async () => {
  const lock = await takeRunLock(world.databaseUrl);
  const lost = once(lock!.lost, 'abort');
  await world.query(
    `select pg_terminate_backend(pid) from pg_locks where relation = 'etl.run_lock'::regclass and granted
     and database = (select oid from pg_database where datname = current_database())`,
  );
  await lost;
  expect(lock!.lost.aborted).toBe(true);
  await expectFree();
});
