import { afterEach, expect, it } from 'vitest';
import type { NightlyRequest } from '../../../src/job/nightly.ts';
import { needsAction } from '../../../src/model/alert.ts';
import { addDays } from '../../../src/model/day.ts';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import type { Middleware } from '../../../src/simulator/middleware.ts';
import { errorResponse } from '../../../src/simulator/service.ts';
import { runNight } from '../../support/nights.ts';
import { agreedAlerts } from '../../support/renderings.ts';
import { openWorld, type World } from '../../support/world.ts';

// Client pages fail night after night although campaigns load, and a setting would end it.

let world: World;
afterEach(() => world.close());

const today = Temporal.Now.plainDateISO('UTC').toString();
const settings = { RETRIES: '0', CATCH_UP_DAYS: '10' };
/** The account with the most clients, alone. */
const valley = {
  ...settings,
  ACCOUNTS_FILE: '',
  ACCOUNT_NAME: 'valley',
  SIDTOKEN: generateDataset().accounts.find(({ name }) => name === 'valley')!.token,
};

/** A service whose client pages fail as `fails` says, and its nights: each returns the requests for client pages. */
async function openService(
  fails: (params: URLSearchParams) => boolean | Promise<boolean>,
  isEmpty = (_: URLSearchParams) => false,
) {
  let requests: string[] = [];
  const intercept: Middleware = async ({ operation, account, params }, next) => {
    if (operation !== 'getClients') return undefined;
    requests.push(
      `${account} ${['limit', 'page', 'balance'].map((name) => params.get(name) ?? '-').join(' ')}`,
    );
    if (await fails(params)) return errorResponse(500, 'A fault.');
    return isEmpty(params) ? { envelope: { ...(await next()).envelope, data: [] } } : undefined;
  };
  world = await openWorld({ intercept });
  return async (
    daysAgo: number,
    environment: World['environment'],
    request: Partial<NightlyRequest> = {},
  ) => {
    requests = [];
    await runNight(world, addDays(today, -daysAgo), environment, { ...request, digest: false });
    return requests;
  };
}

/** The settings that were tried, oldest first. */
async function tried(): Promise<string[]> {
  const rows = await world.query<{ tried: string }>(
    `select concat_ws(' ', run_date, tried_setting, case when tried_setting_helps then 'helps' end) as tried
     from etl.walks where tried_setting is not null order by walk_id`,
  );
  return rows.map((row) => row.tried);
}

const active = async (environment: World['environment']) =>
  (await agreedAlerts(world, { ...world.environment, ...environment })).filter(needsAction);

it('pages that fail with balances: from the third night on, one request for one account finds it, and the alert says so until it is set', async () => {
  const night = await openService((params) => params.get('balance') === 'true');
  const walks = ['coast', 'north', 'valley'].map((account) => `${account} 100 - true`);
  for (const daysAgo of [5, 4]) expect((await night(daysAgo, settings)).sort()).toEqual(walks);
  expect(await tried()).toEqual([]);

  // A run that is retried tries nothing: the page may come by itself.
  const retryUntil = Temporal.Instant.from(`${addDays(today, -3)}T06:40:00Z`);
  expect((await night(3, settings, { retryUntil })).sort()).toEqual(walks);
  expect(await tried()).toEqual([]);
  const third = await night(3, settings, { number: 2 });
  expect(third.slice(0, -1).sort()).toEqual(walks);
  expect(third.at(-1)).toMatch(/ 100 - true$/);
  const [account] = third.at(-1)!.split(' ');
  expect((await night(2, settings)).slice(3)).toEqual([`${account} 100 - false`]);
  expect((await night(1, settings)).slice(3)).toEqual([`${account} 100 - false`]);
  expect(await tried()).toEqual([
    `${addDays(today, -3)} CONCURRENCY=1`,
    `${addDays(today, -2)} CLIENT_BALANCE=false helps`,
    `${addDays(today, -1)} CLIENT_BALANCE=false helps`,
  ]);
  const [alert] = await active(settings);
  expect(alert).toMatchObject({
    key: 'SERVICE_UNAVAILABLE/500',
    explanation: expect.stringContaining('A client page that failed loads with CLIENT_BALANCE=false.'),
  });
  expect(alert!.steps.map(({ text }) => text)).toEqual([
    'Set CLIENT_BALANCE=false: balances are then no longer loaded',
    expect.stringMatching(/^If schedule is running, restart it/),
    'Then',
  ]);

  const set = { ...settings, CLIENT_BALANCE: 'false' };
  await night(0, set);
  expect(await active(set)).toEqual([]);
});

it('pages that fail with 100 clients: the same part of the list is tried with 25', async () => {
  // Without balances, the page comes without clients, which shows nothing.
  const night = await openService(
    (params) =>
      params.get('limit') === '100' && params.get('page') === '2' && params.get('balance') === 'true',
    (params) => params.get('balance') === 'false',
  );
  for (const daysAgo of [5, 4, 3, 2]) await night(daysAgo, valley);
  const before = await active(valley);
  expect(before[0]!.explanation).toContain(
    'A client page that failed fails, too, with CLIENT_BALANCE=false.',
  );
  expect((await night(1, valley)).at(-1)).toBe('valley 25 8 true');
  expect(await tried()).toEqual([
    `${addDays(today, -3)} CONCURRENCY=1`,
    `${addDays(today, -2)} CLIENT_BALANCE=false`,
    `${addDays(today, -1)} PAGE_LIMIT=25 helps`,
  ]);
  expect((await active(valley))[0]!.steps[0]!.text).toMatch(/^Set PAGE_LIMIT=25: /);
  await night(0, { ...valley, PAGE_LIMIT: '25' });
  expect(await active(valley)).toEqual([]);
});

it('pages that fail when several are requested at once: the same page is tried alone', async () => {
  let open = 0;
  let later = 0;
  let second = Promise.withResolvers<void>();
  const night = await openService(async (params) => {
    if (!params.has('page')) return false;
    open++;
    later++;
    // The first page of a walk after page 1 takes until the next one is requested.
    if (later === 1) await second.promise;
    else second.resolve();
    const isAlone = open === 1;
    open--;
    return !isAlone;
  });
  const environment = { ...valley, PAGE_LIMIT: '70' };
  for (const daysAgo of [3, 2, 1]) {
    later = 0;
    second = Promise.withResolvers();
    await night(daysAgo, environment);
  }
  expect(await tried()).toEqual([`${addDays(today, -1)} CONCURRENCY=1 helps`]);
  expect((await active(environment))[0]!.steps[0]!.text).toMatch(/^Set CONCURRENCY=1: /);
  // Nothing waits any more.
  later = 1;
  await night(0, { ...environment, CONCURRENCY: '1' });
  expect(await active(environment)).toEqual([]);
});

it('while campaigns fail, too, nothing is tried', async () => {
  const night = await openService(() => true);
  // Nobody answers there.
  const away = { ...settings, SERVICE_BASE_URL: 'http://127.0.0.1:9/api' };
  for (const daysAgo of [4, 3, 2, 1]) await night(daysAgo, away);
  expect(await tried()).toEqual([]);
});
