import { zstdCompressSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readWalks, walkedAccounts } from '../../../src/warehouse/archive/read-archive.ts';
import { rebuildClients } from '../../../src/warehouse/archive/rebuild-clients.ts';
import {
  type DecidedResponse,
  type Decisions,
  rebuildWindow,
} from '../../../src/warehouse/archive/rebuild-window.ts';
import {
  readUnreadPage,
  recordPageRead,
  unreadPageIds,
} from '../../../src/warehouse/archive/reread-pages.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { beginWalk } from '../../../src/warehouse/load/client-walks.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

/* What one account's archive rebuilds, while another account has the same ids, days and requests. */

const day = '2026-03-02';
const runDate = '2026-03-03';
const [before, at] = ['2026-03-03T06:00:00Z', '2026-03-03T06:30:00Z'];
let database: TestDatabase;
let warehouse: Warehouse;
let coast: number;
let north: number;
let runId: number;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 2);
});
beforeEach(async () => {
  await sql`truncate warehouse.accounts, warehouse.clients, etl.runs, etl.response_bodies cascade`.execute(
    warehouse,
  );
  const rows = await syncAccounts(
    warehouse,
    ['coast', 'north'].map((name) => ({ name, label: name, timeZone: 'UTC' })),
  );
  [coast, north] = ['coast', 'north'].map((name) => rows.find((each) => each.name === name)!.id) as [
    number,
    number,
  ];
  runId = await beginTestRun(warehouse, runDate);
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const walk = (accountId: number, startedAt: string) =>
  beginWalk(warehouse, { accountId, runId, runDate, day: runDate, startedAt });

const hash = Buffer.from([1]);

async function page(accountId: number, decision: string, walkId: number | null = null): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into etl.responses (run_id, account_id, operation, request, walk, fetched_at, decision, sha256, decided_at)
    values (${runId}, ${accountId}, 'getClients', '{"page": 1}', ${walkId}, ${at}, ${decision}, ${hash}, ${at})
    returning response_id as id`.execute(warehouse);
  await sql`insert into etl.response_bodies (sha256, size, zstd)
    values (${hash}, 0, ${zstdCompressSync('')}) on conflict do nothing`.execute(warehouse);
  return rows[0]!.id;
}

const client = (accountId: number, since: string) =>
  sql`insert into warehouse.clients (account_id, client_id, first_seen_at, name_since, changed_at)
    values (${accountId}, 1, ${since}, ${since}, ${since})`.execute(warehouse);

it('an unread page is read again, though a later one of another account could be read', async () => {
  const [unread, healed] = [await page(north, 'discarded'), await page(coast, 'discarded')];
  await page(coast, 'loaded');
  expect(healed).toBeGreaterThan(unread);
  expect(await unreadPageIds(warehouse, { from: runDate, to: runDate })).toEqual(
    new Map([[north, [unread]]]),
  );
});

it('a page that is read again is of its own account’s walk, or of one of its own', async () => {
  await walk(coast, before);
  const unread = await page(north, 'discarded');
  const read = (await readUnreadPage(warehouse, unread))!;
  await inTransaction(warehouse, (transaction) => recordPageRead(transaction, read));
  const { rows } = await sql`select w.account_id, w.reason from etl.walks w
    join etl.responses f on f.walk = w.walk_id`.execute(warehouse);
  expect(rows).toEqual([{ account_id: north, reason: 'read from the archive' }]);
  const walks = await sql`select account_id from etl.walks order by walk_id`.execute(warehouse);
  expect(walks.rows).toEqual([{ account_id: coast }, { account_id: north }]);
  const another = (await readUnreadPage(warehouse, await page(north, 'discarded')))!;
  await inTransaction(warehouse, (transaction) => recordPageRead(transaction, another));
  expect(await readWalks(warehouse, north)).toMatchObject({ walks: [{ accountId: north }] });
});

it('the walks of an account are its own, and whole whatever another account had before', async () => {
  const begun = await walk(north, at);
  await page(north, 'loaded', begun.id);
  await client(coast, before);
  await client(north, at);
  expect(await walkedAccounts(warehouse, [])).toEqual([{ id: north, name: 'north' }]);
  expect(await walkedAccounts(warehouse, [coast])).toHaveLength(2);
  await walk(coast, before);
  expect(await readWalks(warehouse, north)).toMatchObject({ walks: [{ id: begun.id }], whole: true });
  await sql`update warehouse.clients set name_since = ${before}`.execute(warehouse);
  expect(await readWalks(warehouse, north)).toMatchObject({ whole: false });
});

it('clients that are rebuilt are those of one account', async () => {
  const begun = { ...(await walk(north, at)), day: runDate, complete: false };
  for (const accountId of [coast, north]) await client(accountId, at);
  await rebuildClients(warehouse, north, async () => [{ ...begun, async *loads() {} }]);
  const { rows } = await sql`select account_id from warehouse.clients`.execute(warehouse);
  expect(rows).toEqual([{ account_id: coast }]);
});

const decisions: Decisions = {
  compare: () => ({ appeared: [], updated: [], withdrawn: [], restatements: [], unchanged: 0 }),
  decide: () => {
    throw new Error('nothing is undecided');
  },
};

async function entries(): Promise<unknown[]> {
  const { rows } = await sql`select account_id, day, state, failure from etl.windows
    order by account_id, day`.execute(warehouse);
  return rows;
}

const window = (accountId: number, on: string, state: string, failure: string | null = null) =>
  sql`insert into etl.windows (account_id, day, state, failure, failure_code, failed_at, content_hash)
    values (${accountId}, ${on}, ${state}, ${failure}, case when ${failure}::text is not null then 'REQUEST_REFUSED' end,
      case when ${failure}::text is not null then now() end, case when ${state} = 'loaded' then 'hash' end)`.execute(
    warehouse,
  );

it('a window that nothing is known of is forgotten by itself', async () => {
  for (const accountId of [coast, north])
    for (const on of [day, runDate]) await window(accountId, on, 'failed');
  const nothing = { responses: [], healed: false };
  await rebuildWindow(warehouse, { accountId: north, day }, async () => nothing, decisions);
  expect(await entries()).toMatchObject([
    { account_id: coast, day },
    { account_id: coast, day: runDate },
    { account_id: north, day: runDate },
  ]);
});

it('a window that is rebuilt keeps how its own last attempt failed', async () => {
  await window(coast, day, 'loaded', 'coast failed');
  await window(north, runDate, 'loaded', 'another day failed');
  await window(north, day, 'loaded', 'north failed');
  const response: DecidedResponse = {
    id: 0,
    accountId: north,
    day,
    contentHash: 'hash',
    fetchedAt: at,
    provisional: false,
    catchUpLeft: null,
    runId,
    runDate,
    decision: 'loaded',
    decidedAt: at,
    records: [],
    rejects: [],
    envelope: { rows: 0, counts: {}, notice: null },
    unreported: [],
  };
  const responses = { responses: [response], healed: false };
  await rebuildWindow(warehouse, { accountId: north, day }, async () => responses, decisions);
  expect(await entries()).toMatchObject([
    { account_id: coast, failure: 'coast failed' },
    { account_id: north, failure: 'north failed' },
    { account_id: north, failure: 'another day failed' },
  ]);
});
