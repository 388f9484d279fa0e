import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { readStatus } from '../../src/cli/commands/status.ts';
import { describeStatus } from '../../src/cli/print-status.ts';
import { createAlertCheck } from '../../src/job/alerts/between-runs.ts';
import { type Interval, onSchedule } from '../../src/schedule/schedule.ts';
import { scheduledTimesOf } from '../../src/schedule/scheduled-times.ts';
import { readServed } from '../server/served.ts';
import { disagreements } from '../support/agreement.ts';
import { atInstant, contextOf } from '../support/nights.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import type { World } from '../support/world.ts';
import { isBefore, type Outage, openOutage } from './outage.ts';
import { runsOf, type SimulatedTime, untilWake } from './simulated-time.ts';

/** How replicas meet a database that goes away, and in which order they are woken. */
const orders = fc.sample(
  fc.record({
    count: fc.constantFrom(2, 3),
    /** It goes away after so many commits of the run; before it if that is 0. */
    commits: fc.constantFrom(0, 0, 1, 2, 4, 7, 11),
    /** Each replica reaches it again after so many seconds. */
    awayFor: fc.tuple(
      fc.integer({ min: 3, max: 100 }),
      fc.integer({ min: 3, max: 100 }),
      fc.integer({ min: 3, max: 100 }),
    ),
    turns: fc.array(fc.shuffledSubarray([0, 1, 2], { minLength: 3 }), { minLength: 7, maxLength: 7 }),
    /** Whether they are woken together; otherwise each waits for the one before. */
    together: fc.boolean(),
  }),
  { numRuns: 20, seed: 92 },
);
type Order = (typeof orders)[number];

const scheduledTime = '2026-03-02T06:30:00Z';

/** One `schedule` on a time that others share: it is woken by `wake`, which resolves once it sleeps again. */
async function startReplica(
  world: World,
  settings: World['environment'],
  time: SimulatedTime,
  onCommit: () => void,
) {
  const proxy = await startPostgresProxy(world.databaseUrl, { afterCommit: onCommit });
  const clock = () => time.now;
  const app = contextOf({ ...world.environment, ...settings, DATABASE_URL: proxy.url }, clock);
  const scheduledTimes = scheduledTimesOf({ expression: app.config.schedule, timeZone: 'UTC' });
  const stop = new AbortController();
  const checkAlerts = createAlertCheck(app, stop.signal);
  let interval: Interval = 'minute';
  let woken = Promise.withResolvers<void>();
  let asleep = Promise.withResolvers<void>();
  const trigger = {
    async next(wanted: Interval) {
      await checkAlerts();
      interval = wanted;
      asleep.resolve();
      await woken.promise;
    },
  };
  const doNextRun = runsOf(app, stop.signal);
  const ended = onSchedule({ scheduledTimes, clock, trigger }, stop.signal, (scheduledFor) =>
    doNextRun(scheduledFor).catch(() => 'done' as const),
  );
  await asleep.promise;
  async function wake() {
    asleep = Promise.withResolvers();
    const { resolve } = woken;
    woken = Promise.withResolvers();
    resolve();
    await asleep.promise;
  }
  onTestFinished(async () => {
    stop.abort();
    woken.resolve();
    await ended;
    await app.warehouse.destroy();
    await proxy.close();
  });
  return {
    app,
    wake,
    untilWake: () => untilWake(time, scheduledTimes, interval),
    isAway: false,
    async setAway(isAway: boolean) {
      if (isAway === this.isAway) return;
      this.isAway = isAway;
      proxy.refuse(isAway);
      if (isAway) await proxy.cut();
    },
  };
}

/** Wakes the replicas of an order until that time. Returns the pages that differ from what the rows say. */
async function keepUpAll({ world, time, settings }: Outage, order: Order, others: World['environment']) {
  const { count, commits, awayFor, turns, together } = order;
  let awaySince: Temporal.Instant | null = null;
  let committed = 0;
  const onCommit = () => {
    if (awaySince !== null || isBefore(time.now, scheduledTime) || ++committed !== commits) return;
    awaySince = time.now;
    for (const replica of replicas) void replica.setAway(true);
  };
  const replicas: Awaited<ReturnType<typeof startReplica>>[] = [];
  while (replicas.length < count)
    replicas.push(await startReplica(world, { ...settings, ...others }, time, onCommit));
  const differing: unknown[] = [];
  let wakes = 0;
  return {
    differing,
    readPages: () => Promise.all(replicas.map(({ app }) => readServed(app))),
    async until(end: string) {
      while (isBefore(time.now, end)) {
        time.now = time.now.add({
          milliseconds: Math.min(...replicas.map((replica) => replica.untilWake())),
        });
        if (commits === 0 && !isBefore(time.now, scheduledTime)) awaySince ??= time.now;
        const awayMs = awaySince === null ? 0 : time.now.since(awaySince).total('milliseconds');
        for (const [index, replica] of replicas.entries())
          await replica.setAway(awaySince !== null && awayMs < awayFor[index]! * 1_000);
        const inTurn = turns[wakes++ % turns.length]!.flatMap((index) => replicas[index] ?? []);
        if (together) await Promise.all(inTurn.map((replica) => replica.wake()));
        else for (const replica of inTurn) await replica.wake();
        const isMinute = time.now.epochMilliseconds % 60_000 === 0;
        if (!isMinute || awayMs < (Math.max(...awayFor.slice(0, count)) + 60) * 1_000) continue;
        const pages = await this.readPages();
        const [first] = pages;
        if (pages.some((page) => JSON.stringify(page) !== JSON.stringify(first)))
          differing.push([time.now.toString(), ...pages]);
      }
    },
  };
}

it.each(orders)(
  'replicas whose database goes away at the scheduled time: one mail to each, one alert, one end, and pages that are equal within a minute (order %#)',
  async (order) => {
    const outage = await openOutage({ down: { until: '2026-03-03T06:00:00Z', accounts: ['north'] } });
    const { world, time, mails, subjects } = outage;
    const all = await keepUpAll(outage, order, { ALERT_TO: 'ops@example.com', RETRY_FOR: '5m' });
    await all.until('2026-03-02T06:40:00Z');
    const sent = () =>
      mails
        .splice(0)
        .map((mail) => mail.slice(-3))
        .sort();
    expect(sent()).toEqual(['ana', 'ben', 'ops']);
    expect(subjects().at(-1)).toContain('service unavailable (north)');
    time.now = Temporal.Instant.from('2026-03-03T06:29:30Z');
    await all.until('2026-03-03T06:33:00Z');
    expect(sent()).toEqual(['ana', 'ben', 'ops']);
    expect(subjects().at(-1)).toContain('all clear');
    expect(all.differing).toEqual([]);
    expect(await disagreements(world)).toEqual([]);
  },
);

it('of two replicas whose database goes away, the other one does the retry: nobody is alerted, and all surfaces say so', async () => {
  const outage = await openOutage({});
  const { world, time, mails, settings } = outage;
  const order: Order = { count: 2, commits: 0, awayFor: [75, 20, 0], turns: [[0, 1]], together: false };
  const all = await keepUpAll(outage, order, { ALERT_TO: 'ops@example.com' });
  await all.until('2026-03-02T06:33:00Z');
  expect(mails).toEqual(['02T06:31 ana', '02T06:31 ben']);
  const good = { headline: expect.stringMatching(/^All good/), alerts: [] };
  expect(await all.readPages()).toEqual(Array(2).fill(expect.objectContaining(good)));
  const status = await atInstant(world, time.now.toString(), readStatus, settings);
  expect(describeStatus(status, 100)).toMatch(/^All good/);
});

it('each replica alerts a database that is away until RETRY_FOR is over, and its end is sent once', async () => {
  const outage = await openOutage({});
  const { time, mails, subjects } = outage;
  const order: Order = { count: 2, commits: 0, awayFor: [100, 80, 0], turns: [[0, 1]], together: true };
  const all = await keepUpAll(outage, order, { ALERT_TO: 'ops@example.com', RETRY_FOR: '1m' });
  await all.until('2026-03-02T06:40:00Z');
  expect(mails).toEqual(['02T06:31 ops', '02T06:31 ops']);
  time.now = Temporal.Instant.from('2026-03-03T06:29:30Z');
  await all.until('2026-03-03T06:33:00Z');
  expect(mails.slice(2)).toEqual(['03T06:30 ana', '03T06:30 ben', '03T06:30 ops']);
  expect(subjects().at(-1)).toContain('all clear');
  expect(all.differing).toEqual([]);
});
