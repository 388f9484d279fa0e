import { afterEach, expect, it } from 'vitest';
import { addDays } from '../../src/model/day.ts';
import type { Middleware } from '../../src/simulator/middleware.ts';
import { changing as changingEnvelope } from '../../src/simulator/middleware.ts';
import { errorResponse } from '../../src/simulator/service.ts';
import { contradictions } from '../support/story.ts';
import { dataset, today, variantNight, yesterday } from '../support/variant-nights.ts';
import { openWorld, type World } from '../support/world.ts';

/*
 * What a second night makes of a day that is loaded, and whether run, status, page, metrics and alert agree on it.
 * Variants of the service: variants.test.ts.
 */

let world: World;
afterEach(() => world.close());

const loadedBefore = addDays(today, -2);

/** A service that a test changes after the first night: how it responds about the day that is loaded by then. */
async function openService(changed: Middleware) {
  let isFirst = true;
  const date = loadedBefore.replace(/^(\d+)-(.+)$/, '$2-$1');
  const intercept: Middleware = (request, next) =>
    isFirst || request.params.get('startdate') !== date ? undefined : changed(request, next);
  world = await openWorld({ dataset, intercept });
  expect((await variantNight(world, world.simulator.url, yesterday)).exitCode).toBe(0);
  isFirst = false;
}

async function secondNight() {
  const report = await variantNight(world, world.simulator.url, today);
  expect(await contradictions(world, report)).toEqual([]);
  const { held, restated } = (
    await world.query('select bool_or(held) as held, bool_or(restated) as restated from warehouse.coverage')
  )[0]!;
  const alerts = await world.query<{ alert: string }>(
    'select alert from etl.alerts where resolved_run_date is null order by 1',
  );
  return { exitCode: report.exitCode, held, restated, alerts: alerts.map(({ alert }) => alert) };
}

const changeRows = (change: (rows: readonly { attempts: number }[]) => unknown[]) =>
  changingEnvelope((envelope) => {
    const result = change(envelope.result as { attempts: number }[]);
    return { ...envelope, campaigns: result.length, reports: result.length, result };
  });

it('other counts of a loaded day are a restatement, and nobody is alerted', async () => {
  await openService(changeRows((rows) => rows.map((row) => ({ ...row, attempts: row.attempts + 1 }))));
  expect(await secondNight()).toEqual({ exitCode: 0, held: false, restated: true, alerts: [] });
});

it('a response that would empty a loaded day is held and alerted, and restates nothing', async () => {
  await openService(changeRows(() => []));
  expect(await secondNight()).toEqual({
    exitCode: 0,
    held: true,
    restated: false,
    alerts: ['RESPONSE_HELD'],
  });
});

it('a loaded day that cannot be fetched again stays, and all say so until it is', async () => {
  let isDown = true;
  await openService(() => (isDown ? errorResponse(503, 'Down for maintenance.') : undefined));
  const alerts = ['SERVICE_UNAVAILABLE/503'];
  expect(await secondNight()).toEqual({ exitCode: 75, held: false, restated: false, alerts });
  isDown = false;
  expect(await secondNight()).toEqual({ exitCode: 0, held: false, restated: false, alerts: [] });
});

it('an error that nobody expected inside one window is that of the window: the others go on', async () => {
  await openService(() => undefined);
  await world.query(`
    create function public.break_window() returns trigger language plpgsql as $$
    begin raise exception 'nobody expected this'; end $$`);
  await world.query(`
    create trigger broken before insert on etl.campaign_days for each row
    when (new.day = '${yesterday}' and new.account_id = ${await accountId('coast')})
    execute function public.break_window()`);
  expect(await secondNight()).toMatchObject({
    exitCode: 1,
    alerts: ['DIGEST_INCOMPLETE', 'INTERNAL'],
  });
  const open = await world.query(`select account, state from warehouse.coverage where state <> 'loaded'`);
  expect(open).toEqual([{ account: 'coast', state: 'failed' }]);
});

const accountId = async (name: string) =>
  (
    await world.query<{ id: number }>('select account_id as id from warehouse.accounts where name = $1', [
      name,
    ])
  )[0]!.id;
