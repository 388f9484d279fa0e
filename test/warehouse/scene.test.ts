import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replay } from '../../src/job/replay.ts';
import { addDays } from '../../src/model/day.ts';
import { forgetAccount, readForgettable } from '../../src/warehouse/retention/forget-account.ts';
import { disagreements } from '../support/agreement.ts';
import { atInstant, never } from '../support/nights.ts';
import { readingsOf } from '../support/readings.ts';
import { nights, openTwins, type TwinName, type Twins, twinNames } from '../support/twins.ts';

/*
 * Two accounts whose clients and campaigns have the same ids, over five nights. What is known of each is what would be
 * known of it alone: whatever leaks from one into the other, in whichever statement, is another line.
 */

const days = nights.map((night) => addDays(night, -1));
let both: Twins;
let alone: Record<TwinName, Twins>;
/** After the third night. */
let absent: unknown[];

beforeAll(async () => {
  [both, alone] = await Promise.all([
    openTwins(),
    Promise.all(twinNames.map(async (name) => [name, await openTwins([name])])).then(Object.fromEntries),
  ]);
  for (const night of nights.keys()) {
    await Promise.all([both, alone.north, alone.coast].map((world) => world.run(night)));
    if (night === 2)
      absent = await lines('select name as line from warehouse.clients where absent_since is not null');
  }
});
afterAll(() => Promise.all([both, alone.north, alone.coast].map((world) => world.close())));

async function lines(query: string): Promise<string[]> {
  const rows = await both.query<{ line: string }>(query);
  return rows.map(({ line }) => line).sort();
}

it.each(twinNames)('all that is known of %s is what would be known of it alone', async (name) => {
  expect(await readingsOf(both, name, days)).toEqual(await readingsOf(alone[name], name, days));
});

describe('the warehouse of two accounts with the same ids', () => {
  it('agrees with itself', async () => {
    expect(await disagreements(both)).toEqual([]);
  });

  it('has each client that two nights missed as absent, and nobody once they are listed again', async () => {
    expect(absent).toEqual(['coast client 5', 'north client 6']);
    expect(await lines('select name as line from warehouse.clients where absent_since is not null')).toEqual(
      [],
    );
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
      'north 2026-03-10 1 changed 120',
      'north 2026-03-10 4 returned 150',
      'north 2026-03-10 4 withdrawn 150',
    ]);
  });

  it('says of each day what became of it', async () => {
    expect(
      await lines(`select concat_ws(' ', a.name, day, state, case when held then 'held' end,
          case when settling then 'settling' end, case when restated then 'restated' end, failure) as line
        from warehouse.coverage join warehouse.accounts a using (account_id) where day <= '2026-03-15'`),
    ).toEqual([
      'coast 2026-03-10 loaded',
      'coast 2026-03-11 loaded restated',
      'coast 2026-03-12 loaded',
      'coast 2026-03-13 loaded held',
      'coast 2026-03-14 loaded settling',
      'coast 2026-03-15 missing',
      'north 2026-03-10 loaded restated',
      'north 2026-03-11 loaded',
      'north 2026-03-12 loaded held',
      'north 2026-03-13 loaded settling',
      'north 2026-03-14 loaded settling',
      'north 2026-03-15 missing',
    ]);
  });

  it('has one message for each recipient of a digest', async () => {
    expect(
      await lines(`select concat_ws(' ', g.name, g.day, g.kind, recipient, d.state) as line
        from etl.deliveries d join etl.digests g using (digest_id) where g.day = '2026-03-11'`),
    ).toEqual([
      'COAST DAILY 2026-03-11 corrected ana@example.com written',
      'COAST DAILY 2026-03-11 corrected coast@example.com written',
      'COAST DAILY 2026-03-11 first ana@example.com written',
      'COAST DAILY 2026-03-11 first coast@example.com written',
      'NORTH DAILY 2026-03-11 first ana@example.com written',
      'NORTH DAILY 2026-03-11 first north@example.com written',
      'all 2026-03-11 corrected ana@example.com written',
      'all 2026-03-11 first ana@example.com written',
    ]);
  });
});

describe('after that,', () => {
  it('a second run finds nothing to do', async () => {
    const before = both.simulator.journal.length;
    await both.run(4);
    const requests = both.simulator.journal.slice(before);
    expect(requests.filter(({ operation }) => operation === 'campaignSummary')).toEqual([]);
  });

  it('replay rebuilds all that is known of both', async () => {
    const known = async () =>
      await Promise.all(twinNames.map(async (name) => await readingsOf(both, name, days)));
    const before = await known();
    const all = { command: 'replay', from: days[0]!, to: days[4]!, reread: false };
    await atInstant(both, '2026-03-15T08:00:00Z', (app) => replay(app, all, never, () => {}));
    expect(await known()).toEqual(before);
  });

  it('forget leaves nothing of that account, and all of the other', async () => {
    const before = await readingsOf(both, 'coast', days);
    await atInstant(both, '2026-03-15T08:00:00Z', async ({ warehouse }) => {
      const [north] = (await readForgettable(warehouse)).filter(({ name }) => name === 'north');
      await forgetAccount(warehouse, north!);
    });
    expect(await readingsOf(both, 'coast', days)).toEqual(before);
    const left = await both.query(
      `select table_schema || '.' || table_name as name from information_schema.tables
       where table_schema in ('warehouse', 'etl') and table_type = 'BASE TABLE'`,
    );
    for (const { name } of left)
      expect(await lines(`select t::text as line from ${name} t where t::text ~ 'north'`), name).toEqual([]);
    const unused = await lines(`select sha256::text as line from etl.response_bodies b
      where not exists (select from etl.responses f where f.sha256 = b.sha256)`);
    expect(unused).toEqual([]);
  });
});
