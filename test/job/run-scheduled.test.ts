import { readdir } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { runsOf } from '../schedule/simulated-time.ts';
import { contextOf, never } from '../support/nights.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

it('alerts of each outage of the database once, when RETRY_FOR is over: of the one on the next date, too', async () => {
  world = await openWorld();
  const proxy = await startPostgresProxy(world.databaseUrl);
  let now = Temporal.Instant.from('2026-03-11T06:30:00Z');
  const later = (seconds: number) => {
    now = now.add({ seconds });
  };
  const settings = { ALERT_TO: 'ops@example.com', RETRY_FOR: '2m', DATABASE_URL: proxy.url };
  const app = contextOf({ ...world.environment, ...settings }, () => now);
  const doNextRun = runsOf(app, never);
  // Before the warehouse was set up: nothing is to be run.
  const look = () => doNextRun(Temporal.Instant.from('2026-03-11T06:30:00Z'));
  const alerts = async () => (await readdir(world.outbox).catch(() => [])).length;

  for (const outage of [1, 2]) {
    proxy.refuse(true);
    await proxy.cut();
    const retryAt = now.add({ minutes: 1 });
    expect(await look()).toEqual(retryAt);
    // No attempt before its time.
    later(59);
    proxy.refuse(false);
    expect(await look()).toEqual(retryAt);
    proxy.refuse(true);
    await proxy.cut();
    expect(await alerts()).toBe(outage - 1);
    later(1);
    await expect(look()).rejects.toThrow();
    expect(await alerts()).toBe(outage);
    proxy.refuse(false);
    expect(await look()).toBe('done');
    // On one run date it would be the same alert.
    later(86_400);
  }
  await app.warehouse.destroy();
  await proxy.close();
});
