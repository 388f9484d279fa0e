import { readdir } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { generateDataset } from '../../src/simulator/dataset.ts';
import { takeRunLock } from '../../src/warehouse/ledger/run-lock.ts';
import {
  at,
  digestDays,
  keepUp,
  type SimulatedTime,
  scheduledRuns,
  setUp,
} from '../schedule/simulated-time.ts';
import { disagreements } from '../support/agreement.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { runInProgress } from '../support/run-in-progress.ts';
import { startWatchdog } from '../support/watchdog.ts';
import { openWorld, type World } from '../support/world.ts';

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

  it('that was down at its scheduled time runs as soon as it is up, once', async () => {
    await open('2026-03-02T00:00:00Z');
    await keepUp(world, daily, at('2026-03-02T06:00:00Z'), '2026-03-02T06:29:30Z');
    expect(await scheduledRuns(world, 'UTC')).toEqual([]);
    await keepUp(world, daily, at('2026-03-02T06:30:30Z'), '2026-03-02T06:31:00Z');
    await keepUp(world, daily, at('2026-03-02T06:31:30Z'), '2026-03-02T09:00:00Z');
    expect(await scheduledRuns(world, 'UTC')).toEqual(['2026-03-02T06:30 done']);
    expect(await digestDays(world)).toEqual(['2026-03-01 built 1']);
  });

  it('of a machine that was suspended for two nights runs once within a minute of its waking', async () => {
    await open('2026-03-02T00:00:00Z');
    const { now } = at('2026-03-02T06:00:00Z');
    const suspended = [at('2026-03-02T07:00:10Z').now, at('2026-03-04T09:00:00Z').now] as const;
    await keepUp(world, daily, { now, suspended }, '2026-03-04T09:01:00Z');
    expect(await scheduledRuns(world, 'UTC')).toEqual(
      ['2026-03-02', '2026-03-04'].map((day) => `${day}T06:30 done`),
    );
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

  it.each([
    ['30 2 * * *', 'America/New_York', '2026-03-07', ['07T02:30', '08T03:00', '09T02:30']],
    ['30 1 * * *', 'America/New_York', '2026-10-31', ['31T01:30', '01T01:30', '02T01:30']],
    ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03', ['03T02:15', '04T02:30', '05T02:15']],
    ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04', ['04T01:45', '05T01:45', '06T01:45']],
  ])('at %s in %s runs once on each day around a daylight-saving change', async (cron, zone, day, times) => {
    const midnight = (days: number) =>
      Temporal.PlainDate.from(day).add({ days }).toZonedDateTime(zone).toInstant();
    await open(midnight(0).toString());
    const settings = { ...daily, SCHEDULE: cron, TIME_ZONE: zone };
    await keepUp(world, settings, { now: midnight(0) }, midnight(3).toString());
    const runs = await scheduledRuns(world, zone);
    expect(runs.map((line) => line.slice(8))).toEqual(times.map((time) => `${time} done`));
    const days = [-1, 0, 1].map((days) => Temporal.PlainDate.from(day).add({ days }).toString());
    expect(await loadedDays()).toEqual(days);
    expect(await digestDays(world)).toEqual(days.map((each) => `${each} built 1`));
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
    expect(states.every((line) => line.endsWith(' 1'))).toBe(true);
    expect(await disagreements(world)).toEqual([]);
  });

  it('waits while another run holds the lock, and runs once it is free', async () => {
    await open('2026-03-02T00:00:00Z');
    const other = await runInProgress(world.databaseUrl);
    const seen: string[][] = [];
    await keepUp(world, daily, at('2026-03-02T06:40:00Z'), '2026-03-02T06:42:00Z', async (wakes) => {
      const runs = await scheduledRuns(world, 'UTC');
      seen.push(runs.filter((run) => !run.startsWith('none')));
      if (wakes === 3) await other.release();
    });
    expect(seen.slice(0, 4)).toEqual([[], [], [], ['2026-03-02T06:30 done']]);
    expect(await scheduledRuns(world, 'UTC')).toEqual(['2026-03-02T06:30 done']);
  });

  it('alerts once while a session that is no run holds the run lock, and runs once it is free', async () => {
    await open('2026-03-02T00:00:00Z');
    const session = await takeRunLock(world.databaseUrl);
    const seen: (readonly [string[], number])[] = [];
    const notified = { ...daily, ALERT_TO: 'ops@example.com' };
    await keepUp(world, notified, at('2026-03-02T06:40:00Z'), '2026-03-02T06:48:00Z', async () => {
      const files = await readdir(world.outbox).catch(() => []);
      const alerts = files.filter((file) => file.startsWith('alert'));
      seen.push([await scheduledRuns(world, 'UTC'), alerts.length]);
      if (seen.length === 30) await session!.release();
    });
    expect(seen[0]).toEqual([[], 0]);
    expect(seen[29]).toEqual([[], 1]);
    expect(seen.at(-1)).toEqual([['2026-03-02T06:30 done'], 1]);
  });

  it('alerts once while the database stays down, and runs when it is up again', async () => {
    await open('2026-03-02T00:00:00Z');
    await using watchdog = await startWatchdog();
    const proxy = await startPostgresProxy(world.databaseUrl);
    proxy.refuse(true);
    const notified = { HEALTHCHECK_URL: watchdog.url, ALERT_TO: 'ops@example.com', DATABASE_URL: proxy.url };
    const seen: (readonly [string[], number])[] = [];
    await keepUp(
      world,
      { ...daily, ...notified },
      at('2026-03-02T06:29:50Z'),
      '2026-03-02T06:40:00Z',
      async () => {
        const alerts = (await readdir(world.outbox).catch(() => [])).filter((file) =>
          file.startsWith('alert'),
        );
        seen.push([watchdog.pings.map((ping) => ping.path), alerts.length]);
        if (seen.length === 40) proxy.refuse(false);
      },
    );
    await proxy.close();
    expect(seen[5]).toEqual([[], 0]);
    expect(seen[39]).toEqual([['/69'], 1]);
    expect(seen.at(-1)).toEqual([['/69', '/start', ''], 1]);
    expect(await scheduledRuns(world, 'UTC')).toEqual(['2026-03-02T06:30 done']);
  });

  it.each([
    ['was interrupted', `clock_timestamp(), 'interrupted'`],
    ['was killed', 'null, null'],
  ])('repeats a run that %s, whose record stays', async (_, ending) => {
    await open('2026-03-02T00:00:00Z');
    await world.query(
      `insert into etl.runs (kind, command, run_date, scheduled_for, host, process_id, finished_at, outcome)
       values ('nightly', 'schedule', '2026-03-02', '2026-03-02T06:30Z', 'gone', 1, ${ending})`,
    );
    await keepUp(world, daily, at('2026-03-02T06:40:00Z'), '2026-03-02T06:45:00Z');
    const runs = await world.query(
      'select number, outcome from etl.runs where scheduled_for = $1 order by number',
      ['2026-03-02T06:30Z'],
    );
    expect(runs).toEqual([
      { number: 1, outcome: ending.includes('interrupted') ? 'interrupted' : null },
      { number: 2, outcome: 'done' },
    ]);
  });

  it('of a new install waits for its first scheduled time, and runs late if it was down then', async () => {
    await open('2026-03-02T06:35:00Z');
    await keepUp(world, daily, at('2026-03-02T06:40:00Z'), '2026-03-03T06:00:00Z');
    expect(await scheduledRuns(world, 'UTC')).toEqual([]);
    await keepUp(world, daily, at('2026-03-03T09:00:00Z'), '2026-03-03T09:05:00Z');
    expect(await scheduledRuns(world, 'UTC')).toEqual(['2026-03-03T06:30 done']);
  });
});
