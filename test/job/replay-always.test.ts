import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accept } from '../../src/job/accept.ts';
import { nightly } from '../../src/job/nightly.ts';
import { replay } from '../../src/job/replay.ts';
import { addDays } from '../../src/model/day.ts';
import { Failure } from '../../src/model/failure.ts';
import { disagreements } from '../support/agreement.ts';
import { atInstant, never } from '../support/nights.ts';
import { rounds } from '../support/rounds.ts';
import { openWorld, type World } from '../support/world.ts';

/** What the service returns from now on; a campaign or client without a readable id may be anybody's. */
const state = { campaigns: new Map<string, object[]>(), clients: [] as object[], invalid: false };
let world: World;
beforeAll(async () => {
  world = await openWorld({
    intercept: ({ operation, params }) => {
      if (state.invalid) return { body: '{"error":"out of order"}' };
      if (operation === 'getClients') {
        const page = { page: 1, pages: 1, limit: 100, clients: state.clients.length };
        return { body: JSON.stringify({ ...page, data: state.clients }) };
      }
      const [month, day, year] = params.get('startdate')!.split('-');
      return { body: JSON.stringify({ result: state.campaigns.get(`${year}-${month}-${day}`) ?? ordinary }) };
    },
  });
});
afterAll(() => world.close());

const ordinary = [1, 2, 3, 4].map((callsetid) => ({
  callsetid,
  campaign: 'spring',
  attempts: 5,
  connects: 5,
}));

/** One in ten can't be read. */
const count = fc.constantFrom(0, 5, 5, 5, 6, 6, 6, 6, null, -1);
const campaigns = fc.uniqueArray(
  fc.record({
    callsetid: fc.integer({ min: 1, max: 4 }),
    campaign: fc.constantFrom('spring', 'summer'),
    attempts: count,
    connects: count,
    note: fc.constantFrom('a', 'b'),
  }),
  { selector: ({ callsetid }) => callsetid, minLength: 1, maxLength: 4 },
);
const clients = fc.uniqueArray(
  fc.record({
    clientid: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) },
      { weight: 1, arbitrary: fc.constant('?') },
    ),
    clientname: fc.constantFrom('Ana', 'Ben'),
    balance: fc.constantFrom(1, '2.50', null),
  }),
  { selector: ({ clientid }) => clientid, minLength: 1, maxLength: 5 },
);

/** What happens before a night, and whether somebody accepts what is held after it. */
const night = fc.record({
  campaigns: fc.option(fc.tuple(fc.integer({ min: 1, max: 3 }), campaigns), { freq: 6 }),
  clients: fc.option(clients),
  accepts: fc.boolean(),
  twice: fc.boolean(),
  /** Whether none of its responses is valid. */
  invalid: fc.constantFrom(true, false, false, false),
  /** The hour of the run: yesterday may not be over yet where the account is. */
  hour: fc.constantFrom('06', '02'),
});

type Night = typeof night extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const settings = { ACCOUNTS_FILE: '', SIDTOKEN: '', ACCOUNT_NAME: '', CONCURRENCY: '1', RETRIES: '0' };
const request = { command: 'run', days: null, accounts: null, digest: false, scheduledFor: null };

async function live(nights: readonly Night[], account: object): Promise<void> {
  let today = '2026-03-05';
  for (const each of nights) {
    today = addDays(today, 1);
    if (each.campaigns) state.campaigns.set(addDays(today, -each.campaigns[0]), each.campaigns[1]);
    if (each.clients) state.clients = each.clients;
    state.invalid = each.invalid;
    const at = `${today}T${each.hour}:30:00Z`;
    // A dated run pulls today as well, which is provisional.
    const days = [addDays(today, -3), addDays(today, -2), addDays(today, -1), today];
    await atInstant(
      world,
      at,
      async (app) => {
        await nightly(app, { ...request, days: each.twice ? days : null }, never);
        if (!each.accepts) return;
        for (const day of days)
          await accept(app, { command: 'accept', day, account: null }, never).catch(unlessUnreadable);
      },
      { ...settings, ...account },
    );
  }
}

/** What is held may by now be returned in a way that can't be read: then it isn't accepted, and that is reported. */
function unlessUnreadable(error: unknown): void {
  if (!(error instanceof Failure) || error.kind !== 'answer not understood') throw error;
}

/** What a replay rebuilds, but for the ledger. */
const tables = [
  'warehouse.campaign_days',
  'warehouse.campaign_day_restatements',
  'warehouse.account_days',
  'warehouse.campaigns',
  'warehouse.clients',
  'etl.past_client_versions',
  'etl.past_client_balances',
  'etl.client_absences',
  'etl.client_walks',
];
const contents = async () => {
  const views = ['warehouse.client_versions', 'warehouse.client_balances'];
  const read = [...tables, ...views].map(
    (table) => `select '${table}' as name, to_jsonb(t)::text as row from ${table} t`,
  );
  const ledger = `select 'ledger', to_jsonb(w)::text from (
    select account_id, day, state, fetched_at, loaded_at, run_id, content_hash, synced_run_date, same_since_run_date,
      catch_up_left, held_hash, held_since, held_run_date from etl.windows where state <> 'failed') w`;
  const decisions = `select 'responses', to_jsonb(f)::text from etl.responses f`;
  return await world.query(
    `${read.join(' union all ')} union all ${ledger} union all ${decisions} order by 1, 2`,
  );
};

/** Views have no keys that Postgres would hold. */
async function expectUniqueKeys(): Promise<void> {
  const repeated = await world.query(
    `select account_id, client_id, valid_from::text as since from warehouse.client_versions
     group by 1, 2, 3 having count(*) > 1
     union all
     select account_id, client_id, day::text from warehouse.client_balances group by 1, 2, 3 having count(*) > 1`,
  );
  expect(repeated).toEqual([]);
}

it('a replay, with --reread or without, rebuilds from the archive alone what was current, to the microsecond, whatever the history', async () => {
  let histories = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(night, { minLength: 3, maxLength: 7 }), async (nights) => {
      const account = {
        SIDTOKEN: 'north-token',
        ACCOUNT_NAME: `account-${++histories}`,
        TIME_ZONE: 'America/New_York',
      };
      await world.query(
        `truncate ${tables.join()}, warehouse.accounts, etl.responses, etl.response_bodies cascade`,
      );
      state.campaigns = new Map();
      state.invalid = false;
      state.clients = [{ clientid: 1, clientname: 'Ana' }];
      await live(nights, account);
      const before = await contents();
      await world.query(`truncate ${tables.join()}, etl.windows`);
      for (const reread of [false, true]) {
        const range = { command: 'replay', from: '2026-01-01', to: '2026-12-31', reread };
        await atInstant(world, '2026-04-01T00:00:00Z', (app) => replay(app, range, never, () => {}), {
          ...settings,
          ...account,
        });
        expect(await contents()).toEqual(before);
        expect(await disagreements(world)).toEqual([]);
        await expectUniqueKeys();
      }
    }),
    { numRuns: rounds(30) },
  );
});
