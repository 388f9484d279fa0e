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
let scene: Scene;
/** After the third night. */
let absent: string[];

beforeAll(async () => {
  scene = await openScene();
  for (const night of nights.keys()) {
    await scene.run(night, false);
    if (night === 2) absent = await lines(absentClients);
  }
});
afterAll(() => scene[Symbol.asyncDispose]());

const absentClients = 'select name as line from warehouse.clients where absent_since is not null';

async function lines(query: string): Promise<string[]> {
  return await linesOf(scene.both, query);
}

it.each(twinNames)('all that is known of %s is what would be known of it alone', async (name) => {
  const alone = await readingsOf(scene.alone[name], name, days);
  expect(await readingsOf(scene.both, name, days)).toEqual(alone);
});

describe('the warehouse of two accounts with the same ids', () => {
  it('agrees with itself', async () => {
    expect(await disagreements(scene.both)).toEqual([]);
  });

  it('has each client that two nights missed as absent, and nobody once they are listed again', async () => {
    expect(absent).toEqual(['coast client 5', 'north client 6']);
    expect(await lines(absentClients)).toEqual([]);
  });

  it('has the past names and balances of those clients that got others', async () => {
    expect(await lines('select name as line from etl.past_client_versions')).toEqual([
      'coast client 2',
      'north client 1',
    ]);
    expect(
      await lines(`select concat_ws(' ', a.name, b.client_id, day, balance) as line
        from etl.past_client_balances b join warehouse.accounts a using (account_id)`),
    ).toEqual([
      ...nights.slice(0, 4).map((night, index) => `coast 3 ${night} ${23 + index}.50`),
      ...nights.slice(0, 4).map((night, index) => `north 2 ${night} ${12 + index}.50`),
    ]);
  });

  it('has the restatements of the day that changed, and no other', async () => {
    expect(
      await lines(`select concat_ws(' ', a.name, day, callset_id, reason, attempts) as line
        from warehouse.campaign_day_restatements join warehouse.accounts a using (account_id)`),
    ).toEqual([
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

  it('has the sums of a day as they were loaded first, where they stayed the same', async () => {
    expect(
      await lines(`select concat_ws(' ', a.name, s.day) as line
        from warehouse.account_days s join etl.windows w using (account_id, day)
        join warehouse.accounts a using (account_id) where s.loaded_at < w.loaded_at`),
    ).toEqual(expect.arrayContaining(['coast 2026-03-12', 'north 2026-03-10']));
  });

  it('has each response to a request for a day in its archive', async () => {
    const requested = scene.both.simulator.journal.filter(({ operation }) => operation === 'campaignSummary');
    expect(
      await lines(`select concat_ws(' ', a.name, day) as line
        from etl.responses join warehouse.accounts a using (account_id) where operation = 'campaignSummary'`),
    ).toEqual(
      requested
        .map(
          ({ account, params }) => `${account} ${params.startdate!.replace(/^(..)-(..)-(.*)$/, '$3-$1-$2')}`,
        )
        .sort(),
    );
  });

  it('says of each day what became of it', async () => {
    expect(
      await lines(`select concat_ws(' ', a.name, day, state, case when held then 'held' end,
          case when settling then 'settling' end, case when restated then 'restated' end, reason) as line
        from warehouse.coverage join warehouse.accounts a using (account_id) where day <= '2026-03-15'`),
    ).toEqual([
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

describe('after that,', () => {
  it('a second run finds nothing to do', async () => {
    const before = scene.both.simulator.journal.length;
    await scene.both.run(4, false);
    const requests = scene.both.simulator.journal.slice(before);
    expect(requests.filter(({ operation }) => operation === 'campaignSummary')).toEqual([]);
  });

  describe('replay', () => {
    const known = () => Promise.all(twinNames.map((name) => readingsOf(scene.both, name, days)));
    // Clients were walked on the days of the nights.
    const all = { command: 'replay', from: days[0]!, to: nights[4]! };
    const replayed = async (request: ReplayRequest, work = replay) => {
      const before = await known();
      await atInstant(scene.both, '2026-03-15T08:00:00Z', (app) => work(app, request, never));
      expect(await known()).toEqual(before);
    };

    it('rebuilds all that is known of both, a failure included', async () => {
      await scene.both.query(`update etl.windows
        set failed_at = fetched_at, failure = 'it failed', failure_code = 'REQUEST_REFUSED'
        where day = '2026-03-11' and account_id = (select account_id from warehouse.accounts where name = 'coast')`);
      await replayed(all);
    });

    it('with --reread loads nothing that still reads the same', async () => {
      await replayed(all, reread);
    });

    it('of some days leaves the others, and leaves the clients of an account whose archive is not whole', async () => {
      await scene.both.query(`delete from etl.response_bodies where sha256 in (
        select sha256 from etl.responses join warehouse.accounts using (account_id)
        where name = 'coast' and operation = 'getClients')`);
      await replayed({ ...all, from: days[1]!, to: days[2]! });
      await replayed(all);
    });

    it('loads no page of clients that was not loaded', async () => {
      await scene.both.query(`update etl.responses set decision = 'unreadable' from warehouse.accounts a
        where a.account_id = etl.responses.account_id and a.name = 'north' and operation = 'getClients'`);
      await atInstant(scene.both, '2026-03-15T08:00:00Z', (app) => replay(app, all, never));
      expect(
        await lines(
          'select a.name as line from warehouse.clients join warehouse.accounts a using (account_id) group by 1',
        ),
      ).toEqual(['coast']);
    });
  });
});
