import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { replay } from '../../src/job/replay.ts';
import { reread } from '../../src/job/reread.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

/* What of an archive --reread leaves alone. After many nights it loads what could not be read: test/crash/replay.test.ts. */

type Response = { readonly status?: number; readonly body: string };

let world: World;
/** The responses for a day that come next; the last one stays. */
let responses: Response[];
beforeAll(async () => {
  const clients = { body: JSON.stringify({ page: 1, pages: 1, data: [{ clientid: 7, clientname: 'Ana' }] }) };
  world = await openWorld({
    intercept: ({ operation }) => {
      if (operation === 'getClients') return clients;
      return responses.length > 1 ? responses.shift() : responses[0];
    },
  });
});
beforeEach(() =>
  world.query('truncate warehouse.accounts, etl.campaign_days, etl.responses, etl.response_bodies cascade'),
);
afterAll(() => world.close());

const day = '2026-03-02';
const account = { ACCOUNTS_FILE: '', ACCOUNT_NAME: 'valley', SIDTOKEN: 'a-token-of-valley', RETRIES: '3' };
const down = { status: 503, body: '' };

/** Lists so many of four campaigns. */
const campaigns = (listed: number, attempts = 5): Response => ({
  body: JSON.stringify({
    campaigns: 4,
    result: [1, 2, 3, 4].slice(0, listed).map((callsetid) => ({ callsetid, campaign: 'spring', attempts })),
  }),
});

async function load(days: readonly string[], ...next: readonly Response[]): Promise<void> {
  responses = [...next];
  await runNight(world, '2026-03-03', account, { days, digest: false });
}

async function again(work: typeof reread | typeof replay = reread) {
  const request = { command: 'replay', from: '2000-01-01', to: '2999-12-31' };
  const { stats } = await atInstant(
    world,
    '2026-03-04T08:00:00Z',
    (app) => work(app, request, never),
    account,
  );
  return stats.windows.loaded;
}

async function lines(query: string): Promise<string[]> {
  return (await world.query<{ line: string }>(query)).map(({ line }) => line);
}
const decisions = () =>
  lines(
    `select concat_ws(' ', status, decision) as line from etl.responses where day = '${day}' order by response_id`,
  );
const attempts = () =>
  lines(
    `select attempts::text as line from warehouse.campaign_days where day = '${day}' order by callset_id`,
  );
const quarantine = () => lines('select reason as line from etl.rejects where current order by reject_id');

it('a response with an error status, and one that a later attempt of the run replaced, are left', async () => {
  await load([day], { ...campaigns(1), status: 503 }, { body: '{"result":"busy"}' }, campaigns(4));
  // As if they could be read by now.
  await world.query(`update etl.responses set sha256 = l.sha256 from etl.responses l
    where l.decision = 'loaded' and l.day is not null and etl.responses.decision = 'discarded'`);
  const before = await decisions();
  expect(before).toEqual(['503 discarded', '200 discarded', '200 loaded']);
  expect(await again()).toBe(0);
  expect(await decisions()).toEqual(before);
  expect(await attempts()).toEqual(['5', '5', '5', '5']);
});

it('a response that was requested once more because of its count is left', async () => {
  await load(['2026-02-26', '2026-02-27', '2026-02-28', day], campaigns(4));
  await load([day], campaigns(3), down);
  expect(await decisions()).toContain('200 discarded');
  expect(await again()).toBe(0);
  expect(await attempts()).toHaveLength(4);
});

it('a response whose count announces more leaves a confirmed day, and is held', async () => {
  await load(['2026-02-26', '2026-02-27', '2026-02-28', day], campaigns(4));
  await load([day], campaigns(3));
  // As if the reader of that time had not read it.
  await world.query(`delete from etl.responses where decision = 'discarded'`);
  await world.query(`update etl.responses set decision = 'unreadable', rows = null, counts = null, anomalies = '[]'
    where rows = 3`);
  await world.query(
    `update etl.windows set held_hash = null, held_code = null, held_reason = null, held_run_date = null, held_since = null`,
  );
  expect(await again()).toBe(0);
  expect(await world.query('select decision, counts, anomalies from etl.responses where rows = 3')).toEqual([
    {
      decision: 'held',
      counts: { campaigns: 4 },
      anomalies: [{ code: 'announced', announced: 4, listed: 3, known: false }],
    },
  ]);
});

const rejected = `insert into etl.rejects (account_id, operation, day, payload, payload_sha256, reason)
  select account_id, 'campaignSummary', date '${day}', '{"callsetid":1}', sha256('1'), 'of that time' from warehouse.accounts`;

it('the quarantine of a day is left by records that replay reads, and by no others', async () => {
  const [one] = JSON.parse(campaigns(1).body).result;
  await load([day], { body: JSON.stringify({ result: [one, { ...one, callsetid: 2, attempts: -1 }] }) });
  const before = await quarantine();
  expect(before).toEqual([expect.stringMatching(/^attempts: /)]);
  await world.query(rejected);
  await again(replay);
  expect(await quarantine()).toEqual(before);
});

it('the quarantine of a day is left by a record that --reread reads, which is loaded like one that has just arrived', async () => {
  await load([day], campaigns(4));
  await world.query('truncate etl.campaign_days cascade');
  await world.query(`update etl.windows set content_hash = 'none'`);
  await world.query(rejected);
  expect(await again()).toBe(1);
  expect([await attempts(), await quarantine()]).toEqual([['5', '5', '5', '5'], []]);
  expect(await decisions()).toEqual(['200 loaded', '200 loaded']);
  expect(await again()).toBe(0);
});
