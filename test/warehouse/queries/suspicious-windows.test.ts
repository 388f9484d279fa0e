import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { addDays } from '../../../src/model/day.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

const day = '2026-03-30';
const weeksBefore = (weeks: number) => addDays(day, -7 * weeks);

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into warehouse.accounts (account_id, name, label, time_zone) overriding system value values (1, 'north', 'N', 'UTC')`,
  );
});
beforeEach(() => client.query('truncate warehouse.account_days, etl.responses'));
afterAll(async () => {
  await client.end();
  await database.drop();
});

async function sums(on: string, attempts: number | null, busies = 0, provisional = false): Promise<void> {
  await client.query(
    `insert into warehouse.account_days (account_id, day, campaigns, attempts, busies, provisional, loaded_at)
     values (1, $1, 3, $2, $3, $4, now())`,
    [on, attempts, busies, provisional],
  );
}

type Signs = { unreported?: string[]; disagreeing?: string[]; notice?: string; rows?: number };

async function response(decision: string, short: boolean, signs: Signs): Promise<void> {
  const { unreported = [], disagreeing = [], notice = null, rows = 3 } = signs;
  await client.query(
    `insert into etl.responses
       (account_id, operation, request, day, fetched_at, decision, short, unreported, disagreeing, notice, rows, counts)
     values (1, 'campaignSummary', '{}', $1, now(), $2, $3, $4, $5, $6, $7, '{"reports": 4}')`,
    [day, decision, short, unreported, disagreeing, notice, rows],
  );
}

async function reasons(): Promise<string[]> {
  const { rows } = await client.query(
    `select day::text || ' ' || reason as line from etl.suspicious_windows order by 1`,
  );
  return rows.map(({ line }) => line);
}

it('a day without calls is suspicious if two of the same weekday before it had some, and none had none', async () => {
  await sums(weeksBefore(1), 10);
  await sums(day, 0);
  expect(await reasons()).toEqual([]);
  await sums(weeksBefore(2), 10);
  expect(await reasons()).toEqual([`${day} no calls`]);
  await sums(weeksBefore(3), 0, 0, true);
  expect(await reasons()).toEqual([`${day} no calls`]);
  await sums(weeksBefore(4), 0);
  expect(await reasons()).not.toContain(`${day} no calls`);
});

it('neither a day with busies alone nor one that was not over is suspicious', async () => {
  for (const weeks of [1, 2]) await sums(weeksBefore(weeks), 10);
  await sums(day, 0, 5);
  expect(await reasons()).toEqual([]);
  await client.query('delete from warehouse.account_days where day = $1', [day]);
  await sums(day, 0, 0, true);
  expect(await reasons()).toEqual([]);
});

it.each<[string[], Signs]>([
  [['unreadable'], {}],
  [['unreported'], { unreported: ['busies'] }],
  [['notice'], { notice: 'half of it' }],
  [['counts'], { disagreeing: ['reports'] }],
  [['counts', 'notice'], { disagreeing: ['reports'], notice: 'half of it' }],
])('a short response has its reasons: %s', async (expected, signs) => {
  await response('loaded', true, signs);
  expect(await reasons()).toEqual(expected.map((reason) => `${day} ${reason}`));
});

it('coverage says each reason of a day in words, and how many campaigns were listed and announced', async () => {
  const read = async () =>
    (await client.query('select reason, listed, announced from warehouse.coverage')).rows;
  await client.query(
    `insert into etl.windows (account_id, day, state, short) values (1, $1, 'loaded', true) on conflict do nothing`,
    [day],
  );
  await response('loaded', true, { disagreeing: ['reports'], notice: 'half of it' });
  expect(await read()).toEqual([
    { reason: 'reports is 4, with 3 listed; the service added: half of it', listed: 3, announced: '4' },
  ]);
  await response('loaded', true, { unreported: ['busies', 'connects'] });
  expect(await read()).toEqual([
    { reason: 'most campaigns report no busies, connects', listed: null, announced: null },
  ]);
  await response('loaded', false, {});
  for (const weeks of [1, 2]) await sums(weeksBefore(weeks), 10);
  await sums(day, 0);
  expect(await read()).toEqual([
    { reason: 'no calls on a weekday that usually has some', listed: null, announced: null },
  ]);
  await client.query('delete from etl.windows');
});

it('a response that is not short has none, but a text instead of campaigns', async () => {
  await response('loaded', false, { unreported: ['busies'] });
  expect(await reasons()).toEqual([]);
  await response('loaded', false, { notice: 'closed', rows: 0 });
  expect(await reasons()).toEqual([`${day} notice`]);
});

it('the last loaded response of a day counts, whatever came after it', async () => {
  await response('loaded', true, {});
  await response('held', false, {});
  expect(await reasons()).toEqual([`${day} unreadable`]);
  await response('loaded', false, {});
  expect(await reasons()).toEqual([]);
});
