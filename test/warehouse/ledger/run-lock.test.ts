import { once } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { takeRunLock } from '../../../src/warehouse/ledger/run-lock.ts';
import { callsheet } from '../../support/callsheet.ts';
import { withSetting } from '../../support/database.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import { runInProgress } from '../../support/run-in-progress.ts';
import { openWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** A session that ends answers before it frees its locks. */
async function expectFree(): Promise<void> {
  const next = await vi.waitFor(
    async () => (await takeRunLock(world.databaseUrl)) ?? Promise.reject(new Error('the lock is held')),
    { timeout: 20_000, interval: 100 },
  );
  await next.release();
}

it('lets one run work at a time; the other ends with 75 and names the holder', async () => {
  const first = await runInProgress(world.databaseUrl);
  // What waits for the lock fails by the bound, with another error than that of a lock that is held.
  expect(await takeRunLock(withSetting(world.databaseUrl, 'statement_timeout=3s'))).toBeNull();
  const second = await callsheet(['run', '--day', '2026-03-02'], world.environment);
  expect(second.code).toBe(75);
  expect(second.stderr).toMatch(/another run is at work \(run \d+ on elsewhere, since /);
  await first.release();
  expect((await callsheet(['run', '--day', '2026-03-02'], world.environment)).code).toBe(0);
});

it('is lost with its connection, which is reported, and is free again', async () => {
  const lock = await takeRunLock(world.databaseUrl);
  const lost = once(lock!.lost, 'abort');
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  await client.query(
    `select pg_terminate_backend(pid) from pg_locks where relation = 'etl.run_lock'::regclass and granted
     and database = (select oid from pg_database where datname = current_database())`,
  );
  await client.end();
  await lost;
  expect(lock!.lost.aborted).toBe(true);
  await expectFree();
});

it('is lost when its connection falls silent, though nothing closes it, and is free again with the connection', async () => {
  const proxy = await startPostgresProxy(world.databaseUrl);
  const lock = await takeRunLock(proxy.url, { everyMs: 100, replyTimeoutMs: 1_000 });
  const lost = once(lock!.lost, 'abort');
  proxy.fallSilent();
  await lost;
  expect(lock!.lost.reason).toMatchObject({
    code: 'WAREHOUSE_UNAVAILABLE',
    message: 'the connection that held the run lock fell silent',
  });
  await lock!.release();
  expect(await takeRunLock(world.databaseUrl)).toBeNull();
  await proxy.close();
  await expectFree();
});

it('is held as long as its connection responds', async () => {
  const beats = Promise.withResolvers<void>();
  let requests = 0;
  const proxy = await startPostgresProxy(world.databaseUrl, {
    requested: () => void (++requests === 20 && beats.resolve()),
  });
  const lock = await takeRunLock(proxy.url, { everyMs: 10, replyTimeoutMs: 10_000 });
  await beats.promise;
  expect(lock!.lost.aborted).toBe(false);
  expect(await takeRunLock(world.databaseUrl)).toBeNull();
  await lock!.release();
  await proxy.close();
});
