import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { replay } from '../../src/job/replay.ts';
import { atInstant, never, runNight } from '../support/nights.ts';
import { openWorld, type World } from '../support/world.ts';

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
  world.query(
    'truncate warehouse.accounts, etl.campaign_days, warehouse.campaign_day_restatements, etl.responses, etl.response_bodies cascade',
  ),
);
afterAll(() => world.close());

const day = '2026-03-02';
const account = { ACCOUNTS_FILE: '', ACCOUNT_NAME: 'valley', SIDTOKEN: 'a-token-of-valley', RETRIES: '1' };
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

async function again(accounts: readonly string[] | null = null) {
  const request = { command: 'replay', from: '2000-01-01', to: '2999-12-31', accounts };
  const { stats } = await atInstant(
    world,
    '2026-03-04T08:00:00Z',
    (app) => replay(app, request, never),
    account,
  );
  return stats;
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

/** As if the discarded response of the day could be read by now: it has the body that a response of another day has. */
const makeReadable = (status = 200) =>
  world.query(
    `update etl.responses r set sha256 = l.sha256, status = $1 from etl.responses l
     where l.decision = 'loaded' and l.day <> '${day}' and r.decision = 'discarded' and r.day = '${day}'`,
    [status],
  );

it('a response that could not be read when it came is loaded as one that has just arrived, and archived once', async () => {
  await load(['2026-02-27'], campaigns(4, 7));
  await load([day], campaigns(4, 5));
  await load([day], { body: '{"result":"busy"}' });
  expect(await decisions()).toEqual(['200 loaded', ...Array(2).fill('200 discarded')]);
  expect(
    await world.query('select from etl.responses join etl.runs using (run_id) where fetched_at < started_at'),
  ).toEqual([]);
  await makeReadable();
  expect(await again()).toMatchObject({
    windows: { loaded: 1 },
    rows: { appeared: 0, updated: 4, restated: 4 },
  });
  expect(await attempts()).toEqual(['7', '7', '7', '7']);
  expect(await world.query(`select error, listed_campaigns from etl.windows where day = '${day}'`)).toEqual([
    { error: null, listed_campaigns: '4' },
  ]);
  expect(await decisions()).toEqual(['200 loaded', '200 discarded', '200 loaded']);
  expect(await again()).toMatchObject({ windows: { loaded: 0 } });
});

it.each([
  ['with an error status', 503],
  ['that is older than one that was loaded', 200],
])('a response %s is left', async (_, status) => {
  await load(['2026-02-27'], campaigns(4, 7));
  await load([day], { body: '{"result":"busy"}' }, campaigns(4, 5));
  await makeReadable(status);
  const before = await decisions();
  expect(before).toEqual([`${status} discarded`, '200 loaded']);
  expect(await again()).toMatchObject({ windows: { loaded: 0 } });
  expect(await decisions()).toEqual(before);
  expect(await attempts()).toEqual(['5', '5', '5', '5']);
  // As if a newer one had been loaded that isn't archived any more.
  await world.query('update etl.windows set fetched_at = now()');
  expect(await again()).toMatchObject({ windows: { loaded: 0 } });
});

it('an answer without records is read by what is accepted today', async () => {
  const nothing = { status: 404, body: '{"message":"No campaigns found"}' };
  await load(['2026-02-27'], campaigns(4, 7));
  await load([day], nothing);
  expect((await decisions()).at(-1)).toBe('404 discarded');
  expect(await again()).toMatchObject({ windows: { loaded: 0 } });
  await world.query(
    `insert into etl.accepted (kind, operation, sign, service)
     select 'empty', 'campaignSummary', 'HTTP 404; message: No campaigns found', service from etl.runs limit 1`,
  );
  expect(await again()).toMatchObject({ windows: { loaded: 1 } });
  expect((await decisions()).at(-1)).toBe('404 loaded');
  expect(await again()).toMatchObject({ windows: { loaded: 0 } });
});

it('a response that was requested once more because of its count is left', async () => {
  await load(['2026-02-26', '2026-02-27', '2026-02-28', day], campaigns(4));
  await load([day], campaigns(3), down);
  expect(await decisions()).toContain('200 discarded');
  expect(await again()).toMatchObject({ windows: { loaded: 0, held: 0 } });
  expect(await attempts()).toHaveLength(4);
});

it('a response whose count announces more leaves a confirmed day, and is held', async () => {
  await load(['2026-02-26', '2026-02-27', '2026-02-28', day], campaigns(4));
  await load([day], campaigns(3));
  // As if the reader of that time had not read it.
  await world.query(`delete from etl.responses where decision = 'discarded'`);
  await world.query(`update etl.responses set decision = 'unreadable', rows = null, counts = null
    where rows = 3`);
  await world.query(
    `update etl.windows set held_hash = null, held_code = null, held_reason = null, held_since = null`,
  );
  expect(await again()).toMatchObject({ windows: { loaded: 0, held: 1 } });
  expect(await world.query('select decision, counts from etl.responses where rows = 3')).toEqual([
    { decision: 'held', counts: { campaigns: 4 } },
  ]);
  expect(await again()).toMatchObject({ windows: { held: 0 } });
});

const ledger = () => world.query('select w::text from etl.windows w order by 1');

it('rows that were lost are loaded again, and are no news; what the warehouse has, not even gets a new time', async () => {
  await load(['2026-02-28', day], campaigns(4));
  const [before, times] = [
    await ledger(),
    await world.query('select decided_at from etl.responses order by 1'),
  ];
  expect(await again()).toMatchObject({ windows: { loaded: 0 } });
  expect([await ledger(), await world.query('select decided_at from etl.responses order by 1')]).toEqual([
    before,
    times,
  ]);
  await world.query(`delete from etl.campaign_days where day = '${day}' and callset_id > 2`);
  expect(await again()).toMatchObject({ windows: { loaded: 1 }, rows: { appeared: 2, restated: 0 } });
  expect(await attempts()).toEqual(['5', '5', '5', '5']);
  expect(await lines('select reason as line from warehouse.campaign_day_restatements')).toEqual([]);
});

it('a provisional day isn’t confirmed by a replay, though it is over where the account is by now', async () => {
  await load([day], campaigns(3));
  await load(['2026-03-03'], campaigns(4));
  // By the test's clock, and not by the database's: an hour and a half before the replay, and before the day's end in Los Angeles.
  for (const table of ['windows', 'responses'])
    await world.query(`update etl.${table} set fetched_at = '2026-03-04T06:30:00Z'`);
  await world.query(`update warehouse.accounts set time_zone = 'America/Los_Angeles'`);
  const states = () => lines('select state as line from etl.windows');
  expect(await states()).toEqual(['provisional', 'provisional']);
  await again();
  expect(await states()).toEqual(['provisional', 'provisional']);
});

it('the quarantine of a day is left by a record that can be read by now, and by no other', async () => {
  const [one] = JSON.parse(campaigns(1).body).result;
  await load([day], { body: JSON.stringify({ result: [one, { ...one, callsetid: 'two' }] }) });
  const before = await quarantine();
  expect(before).toEqual([expect.stringMatching(/^callsetid: /)]);
  await world.query(
    `insert into etl.rejects (account_id, operation, day, payload, payload_sha256, reason)
     select account_id, 'campaignSummary', date '${day}', '{"callsetid":1}', sha256('1'), 'of that time' from warehouse.accounts`,
  );
  // As if the reader of that time had read less.
  await world.query(`update etl.windows set content_hash = 'none' where day = '${day}'`);
  await again();
  expect(await quarantine()).toEqual(before);
});

it('an account is replayed alone', async () => {
  await load([day], campaigns(4));
  await world.query('delete from etl.campaign_days');
  expect(await again(['another'])).toMatchObject({ windows: { loaded: 0 } });
  expect(await again(['valley'])).toMatchObject({ windows: { loaded: 1 } });
});
