import { readdir } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { takeRunLock } from '../../src/warehouse/ledger/run-lock.ts';
import { disagreements } from '../support/agreement.ts';
import { openWorld, type World } from '../support/world.ts';
import { at, digestDays, keepUp, type SimulatedTime, scheduledRuns, setUp } from './simulated-time.ts';

let world: World;
afterEach(() => world.close());

const daily = {
  SCHEDULE: '30 6 * * *',
  ACCOUNTS_FILE: '',
  SIDTOKEN: generateDataset().accounts.find((each) => each.name === 'valley')!.token,
};

/** A world whose warehouse was set up then: earlier scheduled times are nobody's. */
async function open(setUpAt: string, options: Parameters<typeof openWorld>[0] = {}): Promise<void> {
  world = await openWorld(options);
  await setUp(world, setUpAt);
}

const loadedDays = async () =>
  (
    await world.query<{ day: string }>(`select day::text from etl.windows where state = 'loaded' order by 1`)
  ).map((row) => row.day);

describe('a schedule', () => {
  it('that was down for three nights runs once when it is up again, and every day is healed', async () => {
    await open('2026-03-02T00:00:00Z');
    await keepUp(world, daily, at('2026-03-02T06:00:00Z'), '2026-03-02T08:00:00Z');
    await keepUp(world, daily, at('2026-03-06T09:00:00Z'), '2026-03-07T06:00:00Z');
    expect(await scheduledRuns(world, 'UTC')).toEqual(['2026-03-02T06:30 done', '2026-03-06T06:30 done']);
    expect(await loadedDays()).toEqual(['01', '02', '03', '04', '05'].map((day) => `2026-03-${day}`));
    expect(await digestDays(world)).toEqual([
      '2026-03-01 built 1',
      '2026-03-02 built 1',
      '2026-03-03 built 1',
      '2026-03-04 built 1',
      '2026-03-05 built 1',
    ]);
    expect(await disagreements(world)).toEqual([]);
  });

  it('whose clock is set back runs for no scheduled time twice', async () => {
    await open('2026-03-02T00:00:00Z');
    const time = at('2026-03-02T06:29:00Z');
    const back = (wakes: number) => {
      if (wakes === 5) time.now = time.now.subtract({ minutes: 10 });
    };
    await keepUp(world, daily, time, '2026-03-02T08:00:00Z', back);
    expect(await scheduledRuns(world, 'UTC')).toEqual(['2026-03-02T06:30 done']);
  });

  it('whose run takes longer than two days runs for the newest scheduled time after it, and not for those between', async () => {
    const time: SimulatedTime = at('2026-03-02T06:29:30Z');
    let requests = 0;
    await open('2026-03-02T00:00:00Z', {
      intercept: ({ operation }) => {
        // A service that takes its time with the very first request.
        if (operation === 'getClients' && ++requests === 1) time.now = time.now.add({ hours: 50 });
        return undefined;
      },
    });
    await keepUp(world, daily, time, '2026-03-05T07:00:00Z');
    expect(await scheduledRuns(world, 'UTC')).toEqual(
      ['02', '04', '05'].map((day) => `2026-03-${day}T06:30 done`),
    );
    const states = await digestDays(world);
    expect(states).not.toEqual([]);
    expect(states.filter((line) => !line.endsWith(' 1'))).toEqual([]);
    expect(await disagreements(world)).toEqual([]);
  });

  it('waits while a session that is no run holds the run lock, and runs without an alert once it is free', async () => {
    await open('2026-03-02T00:00:00Z');
    const session = await takeRunLock(world.databaseUrl);
    const seen: (readonly [string[], number])[] = [];
    const notified = { ...daily, ALERT_TO: 'ops@example.com' };
    await keepUp(world, notified, at('2026-03-02T06:40:00Z'), '2026-03-02T07:00:00Z', async () => {
      const files = await readdir(world.outbox).catch(() => []);
      const alerts = files.filter((file) => file.startsWith('alert'));
      seen.push([await scheduledRuns(world, 'UTC'), alerts.length]);
      if (seen.length === 30) await session!.release();
    });
    expect(seen[0]).toEqual([[], 0]);
    // Each attempt is a run.
    const failed = '2026-03-02T06:30 failed';
    expect(seen[29]).toEqual([[failed, failed], 0]);
    expect(seen.at(-1)).toEqual([[failed, failed, failed, '2026-03-02T06:30 done'], 0]);
  });
});
