import { afterEach, expect, it } from 'vitest';
import { takeRunLock } from '../../src/warehouse/ledger/run-lock.ts';
import { runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

it('the lock is free between a run that left something and those that retry it, however often', async () => {
  world = await openWorld({ intercept: () => ({ status: 503, body: 'down' }) });
  for (const number of [1, 2]) {
    const report = await runNight(
      world,
      '2026-03-11',
      { RETRIES: '0' },
      {
        scheduledFor: '2026-03-11T06:30:00Z',
        number,
        retryUntil: Temporal.Instant.from('2026-03-11T09:30:00Z'),
      },
    );
    expect(report.retryAt).not.toBeNull();
    const lock = await takeRunLock(world.databaseUrl);
    expect(lock).not.toBeNull();
    await lock!.release();
  }
});
