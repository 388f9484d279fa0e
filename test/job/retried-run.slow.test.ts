import { describe, expect, it } from 'vitest';
import { retriedRun } from '../../src/job/retried-runs.ts';
import { endingOf } from '../../src/job/run/ending.ts';
import { type Outage, openOutage } from '../schedule/outage.ts';
import { contextOf, never, undated } from '../support/nights.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { runInProgress } from '../support/run-in-progress.ts';

/** `run --retry-for 3h` with the real parts of a world, in its simulated time. */
async function retryForThreeHours(
  { world, time, settings }: Outage,
  others: Outage['world']['environment'] = {},
  onWait: () => unknown = () => {},
) {
  const app = contextOf({ ...world.environment, ...settings, ...others }, () => time.now);
  const wait = async (milliseconds: number) => {
    time.now = time.now.add({ milliseconds });
    await onWait();
  };
  try {
    return await retriedRun(app, undated, never, { retryForMs: 3 * 3_600_000, wait });
  } finally {
    await app.warehouse.destroy();
  }
}

const from = '2026-03-02T06:30:00Z';

describe('run --retry-for', () => {
  it('waits for another run that is running when the retry is due', async () => {
    const outage = await openOutage({ from, down: { until: '2026-03-02T06:30:30Z' } });
    let waits = 0;
    let other: Awaited<ReturnType<typeof runInProgress>> | null = null;
    const { outcome } = await retryForThreeHours(outage, {}, async () => {
      if (++waits === 1) other = await runInProgress(outage.world.databaseUrl);
      if (waits === 2) await other!.release();
    });
    expect(outcome).toBe('done');
    expect(waits).toBe(2);
    expect(outage.mails).toEqual(['02T06:31 ana', '02T06:31 ben']);
  });

  it('waits for a database that is away when it starts, and alerts nobody once it is back', async () => {
    const outage = await openOutage({ from });
    const proxy = await startPostgresProxy(outage.world.databaseUrl);
    proxy.refuse(true);
    const settings = { DATABASE_URL: proxy.url, ALERT_TO: 'ops@example.com' };
    const { outcome } = await retryForThreeHours(outage, settings, () => {
      if (outage.time.now.epochMilliseconds >= Date.parse('2026-03-02T06:33:00Z')) proxy.refuse(false);
    });
    await proxy.close();
    expect(outcome).toBe('done');
    expect(outage.mails).toEqual(['02T06:33 ana', '02T06:33 ben']);
  });

  it('gives up on a database that stays away when its time is over, with 69, and alerts that once', async () => {
    const outage = await openOutage({ from });
    const away = new URL(outage.world.databaseUrl);
    away.port = '1';
    const settings = { DATABASE_URL: away.href, ALERT_TO: 'ops@example.com' };
    const error = await retryForThreeHours(outage, settings).catch((reason: unknown) => reason);
    expect(endingOf(error)).toMatchObject({ outcome: 'failed', exitCode: 69 });
    expect(outage.mails).toEqual(['02T09:18 ops']);
  });
});
