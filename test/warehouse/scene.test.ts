import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReplayRequest, replay } from '../../src/job/replay.ts';
import { reread } from '../../src/job/reread.ts';
import { addDays } from '../../src/model/day.ts';
import { disagreements } from '../support/agreement.ts';
import { atInstant, never } from '../support/nights.ts';
import { readingsOf } from '../support/readings.ts';
import { linesOf, nights, openScene, type Scene, twinNames } from '../support/twins.ts';

/*
 * Two accounts whose clients and campaigns have the same ids, over five nights. What is known of each is what would be
 * known of it alone: whatever leaks from one into the other, in whichever statement, is another line.
 */

const days = nights.map((night) => addDays(night, -1));
const absentClients = 'select name as line from warehouse.clients where absent_since is not null';
const queries = {
  absent: absentClients,
  names: 'select name as line from etl.past_client_versions',
  balances: `select concat_ws(' ', a.name, b.client_id, day, balance) as line
    from etl.past_client_balances b join warehouse.accounts a using (account_id)`,
  restatements: `select concat_ws(' ', a.name, day, callset_id, reason, attempts) as line
    from warehouse.campaign_day_restatements join warehouse.accounts a using (account_id)`,
  unchangedSums: `select concat_ws(' ', a.name, s.day) as line
    from warehouse.account_days s join etl.windows w using (account_id, day)
    join warehouse.accounts a using (account_id) where s.loaded_at < w.loaded_at`,
  archived: `select concat_ws(' ', a.name, day) as line
    from etl.responses join warehouse.accounts a using (account_id) where operation = 'campaignSummary'`,
  coverage: `select concat_ws(' ', a.name, day, state, case when held then 'held' end,
      case when settling then 'settling' end, case when restated then 'restated' end, reason) as line
    from warehouse.coverage join warehouse.accounts a using (account_id) where day <= '2026-03-15'`,
};

let scene: Scene;
/** What the queries say after the last night, before a test changes anything. */
let found: Record<keyof typeof queries, string[]>;
let requested: string[];
/** By a second run of the last night. */
let requestedAgain: string[];
let absentAfterThird: string[];
let wrong: unknown[];
let known: Record<(typeof twinNames)[number], { alone: string[]; both: string[] }>;

beforeAll(async () => {
  scene = await openScene();
  const { both, alone } = scene;
  for (const night of nights.keys()) {
    await scene.run(night, false);
    if (night === 2) absentAfterThird = await linesOf(both, absentClients);
  }
  const entries = Object.entries(queries).map(async ([name, query]) => [name, await linesOf(both, query)]);
  found = Object.fromEntries(await Promise.all(entries));
  requested = requests();
  wrong = await disagreements(both);
  const readings = twinNames.map(async (name) => [
    name,
    { alone: await readingsOf(alone[name], name, days), both: await readingsOf(both, name, days) },
  ]);
  known = Object.fromEntries(await Promise.all(readings));
  await both.run(4, false);
  requestedAgain = requests().slice(requested.length);
});
afterAll(() => scene[Symbol.asyncDispose]());

const requests = () =>
  scene.both.simulator.journal
    .filter(({ operation }) => operation === 'campaignSummary')
    .map(({ account, params }) => `${account} ${params.startdate!.replace(/^(..)-(..)-(.*)$/, '$3-$1-$2')}`);

it.each(twinNames)('all that is known of %s is what would be known of it alone', (name) => {
  expect(known[name].both).toEqual(known[name].alone);
});

describe('the warehouse of two accounts with the same ids', () => {
  it('agrees with itself', () => {
    expect(wrong).toEqual([]);
  });

  it('has each client that two nights missed as absent, and nobody once they are listed again', () => {
    expect(absentAfterThird).toEqual(['coast client 5', 'north client 6']);
    expect(found.absent).toEqual([]);
  });

  it('has the past names and balances of those clients that got others', () => {
    expect(found.names).toEqual(['coast client 2', 'north client 1']);
    expect(found.balances).toEqual([
      ...nights.slice(0, 4).map((night, index) => `coast 3 ${night} ${23 + index}.50`),
      ...nights.slice(0, 4).map((night, index) => `north 2 ${night} ${12 + index}.50`),
    ]);
  });

  it('has the restatements of the day that changed, and no other', () => {
    expect(found.restatements).toEqual([
      'coast 2026-03-11 1 changed 1021',
      'coast 2026-03-11 4 returned 1051',
      'coast 2026-03-11 4 withdrawn 1051',
      'coast 2026-03-11 5 appeared',
      'north 2026-03-10 1 changed 120',
      'north 2026-03-10 4 returned 150',
      'north 2026-03-10 4 withdrawn 150',
      'north 2026-03-10 5 appeared',
    ]);
  });

  it('has the sums of a day as they were loaded first, where they stayed the same', () => {
    expect(found.unchangedSums).toEqual(expect.arrayContaining(['coast 2026-03-12', 'north 2026-03-10']));
  });

  it('has each response to a request for a day in its archive', () => {
    expect(found.archived).toEqual(requested.toSorted());
  });

  it('says of each day what became of it', () => {
    expect(found.coverage).toEqual([
      'coast 2026-03-10 loaded',
      'coast 2026-03-11 loaded restated',
      'coast 2026-03-12 loaded held it lacks 3 of 4 campaigns: 1 campaign, 1,022 attempts, 511 connects instead of 4 campaigns, 4,148 attempts, 2,074 connects',
      'coast 2026-03-13 loaded',
      'coast 2026-03-14 loaded settling',
      'coast 2026-03-15 missing',
      'north 2026-03-10 loaded restated',
      'north 2026-03-11 loaded',
      'north 2026-03-12 loaded held it would empty a day of 4 campaigns: 0 campaigns instead of 4 campaigns, 548 attempts, 274 connects',
      'north 2026-03-13 loaded settling',
      'north 2026-03-14 loaded settling',
      'north 2026-03-15 missing',
    ]);
  });
});

it('a second run finds nothing to do', () => {
  expect(requestedAgain).toEqual([]);
});

it('replay and --reread rebuild all that is known of both, a failure included, from an archive that is whole, and nothing else', async () => {
  const { both } = scene;
  const readAll = () => Promise.all(twinNames.map((name) => readingsOf(both, name, days)));
  // Clients were walked on the days of the nights.
  const all = { command: 'replay', from: days[0]!, to: nights[4]! };
  const work = (request: ReplayRequest, of = replay) =>
    atInstant(both, '2026-03-15T08:00:00Z', (app) => of(app, request, never));
  await both.query(`update etl.windows
    set failed_at = fetched_at, failure = 'it failed', failure_code = 'REQUEST_REFUSED'
    where day = '2026-03-11' and account_id = (select account_id from warehouse.accounts where name = 'coast')`);
  const before = await readAll();
  await work(all);
  expect(await readAll()).toEqual(before);
  await work(all, reread);
  expect(await readAll()).toEqual(before);

  await both.query(`delete from etl.response_bodies where sha256 in (
    select sha256 from etl.responses join warehouse.accounts using (account_id)
    where name = 'coast' and operation = 'getClients')`);
  await work({ ...all, from: days[1]!, to: days[2]! });
  await work(all);
  expect(await readAll()).toEqual(before);

  // A page of clients that wasn't loaded isn't loaded by a replay, either.
  await both.query(`update etl.responses set decision = 'unreadable' from warehouse.accounts a
    where a.account_id = etl.responses.account_id and a.name = 'north' and operation = 'getClients'`);
  await work(all);
  const listed =
    'select a.name as line from warehouse.clients join warehouse.accounts a using (account_id) group by 1';
  expect(await linesOf(both, listed)).toEqual(['coast']);
});
