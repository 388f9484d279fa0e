import fc from 'fast-check';
import { accept } from '../../src/job/accept.ts';
import { nightly } from '../../src/job/nightly.ts';
import type { replay } from '../../src/job/replay.ts';
import type { reread } from '../../src/job/reread.ts';
import { addDays } from '../../src/model/day.ts';
import { Failure } from '../../src/model/errors.ts';
import type { Middleware } from '../../src/simulator/middleware.ts';
import { atInstant, never } from '../support/nights.ts';
import type { World } from '../support/world.ts';

/** What the service returns from now on; a campaign or client without a readable id may be anybody's. */
export const state = { campaigns: new Map<string, object[]>(), clients: [] as object[], invalid: false };
export const serve: Middleware = ({ operation, params }) => {
  if (state.invalid) return { body: '{"error":"out of order"}' };
  if (operation === 'getClients') {
    const page = { page: 1, pages: 1, limit: 100, clients: state.clients.length };
    return { body: JSON.stringify({ ...page, data: state.clients }) };
  }
  const [month, day, year] = params.get('startdate')!.split('-');
  return { body: JSON.stringify({ result: state.campaigns.get(`${year}-${month}-${day}`) ?? ordinary }) };
};

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
export const night = fc.record({
  campaigns: fc.option(fc.tuple(fc.integer({ min: 1, max: 3 }), campaigns), { freq: 6 }),
  clients: fc.option(clients),
  accepts: fc.boolean(),
  twice: fc.boolean(),
  /** Whether none of its responses is valid. */
  invalid: fc.constantFrom(true, false, false, false),
  /** The hour of the run: yesterday may not be over yet where the account is. */
  hour: fc.constantFrom('06', '02'),
});

export type Night = typeof night extends fc.Arbitrary<infer Drawn> ? Drawn : never;

export const settings = { ACCOUNTS_FILE: '', SIDTOKEN: '', ACCOUNT_NAME: '', CONCURRENCY: '1', RETRIES: '0' };
const request = { command: 'run', days: null, accounts: null, digest: false, scheduledFor: null };

/** Has an account live through these nights, from a day on which the service says what it always says. */
export async function live(world: World, nights: readonly Night[], account: object): Promise<void> {
  await world.query(
    `truncate ${tables.join()}, warehouse.accounts, etl.responses, etl.response_bodies cascade`,
  );
  state.campaigns = new Map();
  state.clients = [{ clientid: 1, clientname: 'Ana' }];
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
  if (!(error instanceof Failure) || error.code !== 'INVALID_RESPONSE') throw error;
}

/** The tables that a replay rebuilds, but for the ledger. */
export const tables = [
  'etl.campaign_days',
  'warehouse.campaign_day_restatements',
  'warehouse.account_days',
  'etl.past_account_days',
  'warehouse.clients',
  'etl.past_client_versions',
  'etl.past_client_balances',
  'etl.client_absences',
];
/** A row of what a replay rebuilds, as JSON. */
export type Rebuilt = { readonly name: string; readonly row: string };

/** All of it, the ledger and the load decisions included, instants and all. */
export async function readRebuilt(world: World): Promise<Rebuilt[]> {
  const views = ['warehouse.client_versions', 'warehouse.client_balances'];
  const read = [...tables, ...views].map(
    (table) => `select '${table}' as name, to_jsonb(t)::text as row from ${table} t`,
  );
  const ledger = `select 'ledger', to_jsonb(w)::text from (
    select account_id, day, state, fetched_at, loaded_at, run_id, content_hash, synced_run_date, same_since_run_date,
      catch_up_left, held_hash, held_since, held_run_date from etl.windows where state <> 'failed') w`;
  const decisions = `select 'responses', to_jsonb(f)::text from etl.responses f`;
  return await world.query<Rebuilt>(
    `${read.join(' union all ')} union all ${ledger} union all ${decisions} order by 1, 2`,
  );
}

/** A replay, or a reread, of all that happened. */
export async function replayAll(
  world: World,
  account: object,
  work: typeof replay | typeof reread,
): Promise<void> {
  const range = { command: 'replay', from: '2026-01-01', to: '2026-12-31' };
  await atInstant(world, '2026-04-01T00:00:00Z', (app) => work(app, range, never), {
    ...settings,
    ...account,
  });
}
