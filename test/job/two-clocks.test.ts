import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { nightly } from '../../src/job/nightly.ts';
import type { AppContext } from '../../src/job/run/app-context.ts';
import { systemClock } from '../../src/support/clock.ts';
import { runsOf } from '../schedule/simulated-time.ts';
import { readServed } from '../server/served.ts';
import { contextOf, never } from '../support/nights.ts';
import { startWatchdog } from '../support/watchdog.ts';
import { openWorld, type World } from '../support/world.ts';

const right = Temporal.Instant.from('2026-03-11T06:30:00Z');
const request = { command: 'run', days: null, accounts: null, digest: true };

/** A world whose machine has a clock that may be set wrong; the database's is right. */
async function openMachine(others: Readonly<Record<string, string>> = {}): Promise<{
  readonly world: World;
  readonly app: AppContext;
  readonly set: (aheadHours: number, now?: Temporal.Instant) => void;
}> {
  const world = await openWorld();
  let hours = 0;
  let time = right;
  const app = contextOf(
    { ...world.environment, ALERT_TO: 'ops@example.com', ...others },
    () => time.add({ hours }),
    undefined,
    () => systemClock().add({ hours }),
  );
  onTestFinished(async () => {
    await app.warehouse.destroy();
    await world.close();
  });
  return {
    world,
    app,
    set(aheadHours, now = right) {
      hours = aheadHours;
      time = now;
    },
  };
}

const readDays = async (world: World, state: string) =>
  (
    await world.query<{ day: string }>(
      `select distinct day::text as day from etl.windows where state = '${state}' order by 1`,
    )
  ).map(({ day }) => day);

const readRunDates = async (world: World) =>
  (await world.query<{ date: string }>('select run_date::text as date from etl.runs order by run_id')).map(
    ({ date }) => date,
  );

/** The subjects of the alerts that were sent, in order. */
async function readSubjects(world: World): Promise<string[]> {
  const names = (await readdir(world.outbox)).filter((name) => name.startsWith('alert-')).sort();
  const texts = await Promise.all(names.map((name) => readFile(path.join(world.outbox, name), 'utf8')));
  return texts.map((text) => /^Subject: (.*(?:\r?\n .*)*)/m.exec(text)![1]!.replaceAll(/\r?\n /g, ' '));
}

it('no run confirms a day that is over by the clock of the machine alone; the alert says by how much, and ends', async () => {
  await using watchdog = await startWatchdog();
  const { world, app, set } = await openMachine({ HEALTHCHECK_URL: watchdog.url });
  set(24);
  // As a scheduled run asks, which reads the machine's clock before it reaches the database.
  await nightly(app, { ...request, runDate: '2026-03-12' }, never);
  expect(await readRunDates(world)).toEqual(['2026-03-11']);
  expect(await readDays(world, 'loaded')).toEqual(['2026-03-10']);
  expect(await readSubjects(world)).toEqual([expect.stringContaining('clocks apart')]);
  expect(await readServed(app)).toMatchObject({
    headline: expect.stringContaining('clocks apart'),
    // The run waits for the clock that is right.
    nextRun: expect.stringContaining('12 Mar'),
    alerts: ['CLOCKS_APART'],
  });
  expect(watchdog.pings.at(-1)).toMatchObject({
    path: '',
    body: expect.stringContaining('1 d ahead of'),
  });
  set(0, right.add({ hours: 24 }));
  await nightly(app, request, never);
  expect(await readRunDates(world)).toEqual(['2026-03-11', '2026-03-12']);
  expect(await readDays(world, 'loaded')).toContain('2026-03-11');
  expect(await readSubjects(world)).toEqual([
    expect.stringContaining('clocks apart'),
    expect.stringContaining('all clear'),
  ]);
  expect(await readServed(app)).toMatchObject({ headline: expect.stringMatching(/^All good/), alerts: [] });
});

it('no run confirms a day that is over by the clock of the database alone', async () => {
  const { world, app, set } = await openMachine();
  set(-24, right.add({ hours: 24 }));
  await nightly(app, request, never);
  expect(await readRunDates(world)).toEqual(['2026-03-11']);
  expect(await readDays(world, 'loaded')).toEqual(['2026-03-10']);
});

it('a scheduled time that has come by the clock of the machine alone waits, and is run when it comes', async () => {
  const { world, app, set } = await openMachine();
  await world.query(`update etl.migrations set timestamp = '2026-03-01T00:00:00Z'`);
  const doNextRun = runsOf(app, never);
  const tomorrow = right.add({ hours: 24 });
  set(24);
  expect(await doNextRun(tomorrow)).toEqual(tomorrow);
  expect(await readRunDates(world)).toEqual([]);
  set(0, tomorrow);
  expect(await doNextRun(tomorrow)).toBe('done');
  expect(await readRunDates(world)).toEqual(['2026-03-12']);
});
