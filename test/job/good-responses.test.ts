import { expect, it, onTestFinished } from 'vitest';
import { readState } from '../../src/job/alerts/read-alerts.ts';
import { needsAction } from '../../src/model/alert.ts';
import { addDays, type Day, daysBetween } from '../../src/model/day.ts';
import { atInstant, runNight } from '../support/nights.ts';
import { scriptedService } from '../support/scripted-service.ts';
import { openWorld, type World } from '../support/world.ts';

/* Nights on which a response isn't a good one (design, *A good response*). */

type Response = { readonly status?: number; readonly body: string };

const accounts = ['coast', 'north'];
/** A Thursday. */
const firstNight = '2026-03-12';
const weeks = 3;

const good = (account: string, day: Day): Response => ({
  body: JSON.stringify({
    campaigns: 2,
    result: [1, 2].map((callsetid) => ({
      callsetid,
      attempts: 100 * callsetid + 1_000 * accounts.indexOf(account) + Number(day.slice(8)),
      busies: 1,
      connects: 50,
      liveanswers: 20,
    })),
  }),
});
const isWeekend = (day: Day) => Temporal.PlainDate.from(day).dayOfWeek > 5;

/** A world in which the service returns for a day what `service` says, and has loaded some weeks before the first night. */
async function liveBefore(service: (account: string, day: Day) => Response | undefined): Promise<World> {
  const world = await openWorld(scriptedService(accounts, service));
  onTestFinished(() => world.close());
  const history = daysBetween(addDays(firstNight, -7 * weeks - 1), addDays(firstNight, -2));
  await runNight(world, addDays(firstNight, -1), {}, { days: history, digest: false });
  return world;
}

async function nights(world: World, count: number): Promise<number[]> {
  const codes: number[] = [];
  for (let night = 0; night < count; night++)
    codes.push((await runNight(world, addDays(firstNight, night))).exitCode);
  return codes;
}

const alertsOn = (world: World, night: Day) =>
  atInstant(world, `${night}T20:00:00Z`, async (app) =>
    (await readState(app.warehouse, app)).alerts
      .filter(needsAction)
      .map(({ key, cause }) => ({ key, cause })),
  );

const coverage = (world: World, account: string, from: Day, to = from) =>
  world.query<{ day: string; state: string; reason: string | null }>(
    `select day::text, state, reason from warehouse.coverage where account = $1 and day between $2 and $3 order by day`,
    [account, from, to],
  );

it('a service that answers 404 at weekends has empty days, confirmed by a second night, and needs nobody', async () => {
  const nothing = { status: 404, body: '{"message":"No campaigns found"}' };
  const world = await liveBefore((account, day) => (isWeekend(day) ? nothing : good(account, day)));
  expect(await nights(world, 6)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await alertsOn(world, addDays(firstNight, 5))).toEqual([]);
  const days = await coverage(world, 'coast', addDays(firstNight, -1), addDays(firstNight, 4));
  expect(days.map(({ state }) => state)).toEqual(Array(6).fill('loaded'));
  expect(
    await world.query(`select distinct status, rows, anomalies -> 0 ->> 'code' as code from etl.responses
      where status = 404 and rows is not null and day >= '${firstNight}'`),
  ).toEqual([{ status: 404, rows: 0, code: 'no_list' }]);
});

it('a 404 from another address than the one that has sent lists is no empty day', async () => {
  const world = await liveBefore(good);
  const nothing = { status: 404, body: '{"message":"No campaigns found"}' };
  const moved = await openWorld({ intercept: () => nothing });
  onTestFinished(() => moved.close());
  const { exitCode } = await runNight(world, firstNight, { SERVICE_BASE_URL: moved.simulator.url });
  expect(exitCode).toBe(69);
  expect(await coverage(world, 'coast', addDays(firstNight, -1))).toMatchObject([
    { state: 'failed', reason: expect.stringContaining('which never sent a list') },
  ]);
});

it.each<[string, Response, string]>([
  ['202', { status: 202, body: '{"campaigns":0,"result":[]}' }, 'no records, and HTTP 202'],
  [
    'processing',
    { body: '{"campaigns":0,"result":[],"status":"processing"}' },
    'no records, and status: processing',
  ],
])(
  'a service that isn’t done leaves a missing day, in its words, until it is: %s',
  async (_, response, what) => {
    let isDone = false;
    const newest = addDays(firstNight, -1);
    const world = await liveBefore((account, day) =>
      account === 'coast' && day === newest && !isDone ? response : good(account, day),
    );
    expect(await nights(world, 1)).toEqual([75]);
    expect(await coverage(world, 'coast', newest)).toEqual([
      { day: newest, state: 'failed', reason: `the service isn't done yet (${what})` },
    ]);
    expect(await alertsOn(world, firstNight)).toMatchObject([
      { key: 'INVALID_RESPONSE', cause: expect.stringContaining(what) },
    ]);
    isDone = true;
    expect((await runNight(world, firstNight)).exitCode).toBe(0);
    expect(await coverage(world, 'coast', newest)).toMatchObject([{ state: 'loaded' }]);
  },
);

it('a part of a list loads, and its day is provisional', async () => {
  const newest = addDays(firstNight, -1);
  const part = {
    status: 206,
    body: JSON.stringify({ campaigns: 1, result: [JSON.parse(good('coast', newest).body).result[0]] }),
  };
  const world = await liveBefore((account, day) =>
    account === 'coast' && day === newest ? part : good(account, day),
  );
  expect(await nights(world, 2)).toEqual([0, 0]);
  expect(await coverage(world, 'coast', newest, firstNight)).toMatchObject([
    { state: 'provisional', reason: expect.stringContaining('HTTP 206') },
    { state: 'loaded' },
  ]);
});
