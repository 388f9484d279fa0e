import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { compareDay } from '../../src/job/windows/compare.ts';
import {
  archivedWindows,
  readBody,
  readFollowed,
  readLoads,
  readWalks,
  rereadableResponses,
  walkedAccounts,
} from '../../src/warehouse/archive/read-archive.ts';
import { connectionOptions } from '../../src/warehouse/db/connection.ts';
import type { Transaction } from '../../src/warehouse/db/database.ts';
import { recordedTime } from '../../src/warehouse/db/expressions.ts';
import type { Tables } from '../../src/warehouse/db/tables.ts';
import { inTransaction } from '../../src/warehouse/db/transaction.ts';
import { lockEntry, type WindowKey } from '../../src/warehouse/ledger/window-entry.ts';
import { readCurrentRows } from '../../src/warehouse/load/campaign-days.ts';
import { applyCompleteWalk } from '../../src/warehouse/load/client-walks.ts';
import { clearClients, upsertClients } from '../../src/warehouse/load/clients.ts';
import { clearWindow, followDecision, restoreFailure } from '../../src/warehouse/load/windows.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/*
 * What a replay does over an archive of 20,000 responses and over one of 200,000, by the plans of its statements: no
 * test can wait for one that doesn't end, nor rely on seconds on a busy machine.
 */

const sizes = [20_000, 200_000] as const;
const databases: TestDatabase[] = [];
afterAll(async () => {
  for (const database of databases) await database.drop();
});

type Statement = { readonly text: string; readonly parameters: readonly unknown[] };
type Plan = { readonly cost: number; readonly text: string };

/** An archive: half of its responses of windows, four each, and half of twenty walks, ten pages a load. */
async function fillArchive(client: pg.Client, responses: number): Promise<void> {
  const half = responses / 2;
  const window = `1 + n / 4 % 5 as account_id, date '1990-01-01' + n / 20 as day`;
  const statements = [
    `insert into warehouse.accounts (name, label, time_zone) select 'a' || n, 'a' || n, 'UTC' from generate_series(1, 5) n`,
    `insert into etl.runs (kind, command, run_date, host, process_id, exclusive)
     select 'nightly', 'run', date '2026-01-01' + n, 'here', 1, true from generate_series(1, 20) n`,
    `insert into etl.walks (run_id, account_id, run_date, day, started_at, verdict)
     select n, 1, date '2026-01-01' + n, date '2026-01-01' + n, timestamptz '2026-01-01' + n * interval '1 day', 'complete'
     from generate_series(1, 20) n`,
    `insert into etl.response_bodies (sha256, size, zstd)
     select sha256(n::text::bytea), 900, repeat('x', 200)::bytea from generate_series(0, ${responses} - 1) n`,
    `insert into etl.responses (run_id, account_id, operation, request, day, fetched_at, status, sha256, decision, decided_at)
     select 1 + n % 4, account_id, 'campaignSummary', '{}', day, at, 200, sha256(n::text::bytea),
       case when n % 40 = 0 then 'discarded' else 'loaded' end, at
     from (select n, ${window}, timestamptz '2026-01-02' + n % 4 * interval '1 day' + n * interval '1 ms' as at
           from generate_series(0, ${half} - 1) n) w`,
    `insert into etl.responses (run_id, account_id, operation, request, walk, fetched_at, status, sha256, decision, decided_at)
     select walk, 1, 'getClients', jsonb_build_object('page', n % (${half} / 20)), walk, at, 200, sha256((${half} + n)::text::bytea),
       case when n % 40 = 0 then 'unreadable' else 'loaded' end, at
     from (select n, 1 + n / (${half} / 20) as walk, timestamptz '2026-02-02' + n / 10 * interval '1 ms' as at
           from generate_series(0, ${half} - 1) n) p`,
    `insert into warehouse.account_days (account_id, day, campaigns, attempts, busies, connects, live_answers, provisional, loaded_at)
     select distinct account_id, day, 3, 3, 3, 3, 3, false, timestamptz '2026-03-01'
     from etl.responses where day is not null`,
    `insert into etl.campaign_days (account_id, day, callset_id, attempts, busies, connects, live_answers, loaded_at)
     select account_id, day, n, 1, 1, 1, 1, loaded_at from warehouse.account_days cross join generate_series(1, 3) n`,
    `insert into etl.windows (account_id, day, state) select account_id, day, 'failed' from warehouse.account_days`,
    `insert into warehouse.clients (account_id, client_id, first_seen_at, name_since, changed_at)
     select 1, n, at, at, at from generate_series(1, ${half}) n, (values (timestamptz '2026-03-01')) v (at)`,
    'vacuum analyze',
  ];
  for (const statement of statements) await client.query(statement);
}

/** A window with two responses: the second one lists no campaign any more. */
async function rebuild(transaction: Transaction, window: WindowKey): Promise<void> {
  await lockEntry(transaction, { ...window, fetchedAt: '-infinity' });
  const failure = await clearWindow(transaction, window);
  const campaign = {
    callsetId: 1,
    campaign: 'c',
    attempts: 2,
    busies: 2,
    connects: 2,
    liveAnswers: 2,
    extra: {},
  };
  for (const [records, at] of [
    [[campaign], '2026-03-01'],
    [[], '2026-03-02'],
  ] as const) {
    const entry = {
      ...window,
      fetchedAt: '2026-03-01',
      provisional: false,
      catchUpLeft: null,
      runId: 1,
      runDate: '2026-03-01',
      contentHash: '',
      short: false,
    };
    const current = await readCurrentRows(transaction, window);
    const change = compareDay(current, records, true);
    await followDecision(transaction, entry, { decision: 'apply', change }, recordedTime(at));
  }
  await restoreFailure(transaction, window, failure);
}

/** Each statement of a replay by the name of its step: of the whole archive, of a walk, or of one window or load. */
async function recordReplay(url: string): Promise<Map<string, Statement[]>> {
  const recorded = new Map<string, Statement[]>();
  let step = '';
  const warehouse = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ ...connectionOptions(url), max: 1 }) }),
    log: ({ query: { sql, parameters } }) => {
      if (!/^\s*(select|with|insert|update|delete)/i.test(sql)) return;
      recorded.set(step, [...(recorded.get(step) ?? []), { text: sql, parameters }]);
    },
  });
  const days = { from: '1980-01-01', to: '2999-12-31' };
  const window = { accountId: 1, day: '1990-01-02' };
  step = 'whole: windows';
  await archivedWindows(warehouse, days);
  step = 'whole: rereadable responses';
  await rereadableResponses(warehouse, days);
  step = 'whole: accounts';
  await walkedAccounts(warehouse);
  step = 'whole: walks';
  const { walks } = await readWalks(warehouse, 1);
  expect(walks).toHaveLength(20);
  // The bodies aren't zstd: they are read, but can't be decompressed.
  step = 'one: body';
  await readBody(warehouse, 40).catch(() => {});
  step = 'one: responses';
  await readFollowed(warehouse, window).catch(() => {});
  step = 'whole: loads';
  await readLoads(warehouse, 7)
    .next()
    .catch(() => {});
  step = 'one: rebuilt window';
  await inTransaction(warehouse, (transaction) => rebuild(transaction, window));
  step = 'whole: cleared clients';
  await inTransaction(warehouse, (transaction) => clearClients(transaction, 1));
  step = 'one: rebuilt clients';
  const client = { clientId: 1, name: 'n', checksum: null, balance: '1', extra: {} };
  await inTransaction(warehouse, (transaction) =>
    upsertClients(transaction, walks[0]!, [client], recordedTime('2026-03-01')),
  );
  step = 'whole: complete walk';
  await inTransaction(warehouse, (transaction) => applyCompleteWalk(transaction, walks[0]!, new Set([1])));
  await warehouse.destroy();
  return recorded;
}

async function explainAll(client: pg.Client, statements: readonly Statement[]): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const { text, parameters } of statements) {
    const { rows } = await client.query(`explain (format json) ${text}`, [...parameters]);
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
    plans.push({ cost: plan['Total Cost'], text: `${text}\n${JSON.stringify(plan, null, 1)}` });
  }
  return plans;
}

async function plansAt(responses: number): Promise<Map<string, Plan[]>> {
  const database = await createDatabase({ template: 'migrated' });
  databases.push(database);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await fillArchive(client, responses);
    const plans = new Map<string, Plan[]>();
    for (const [step, statements] of await recordReplay(database.url))
      plans.set(step, await explainAll(client, statements));
    return plans;
  } finally {
    await client.end();
  }
}

describe('a replay of ten times as many responses', async () => {
  const [small, large] = [await plansAt(sizes[0]), await plansAt(sizes[1])];
  const costs = [...large].flatMap(([step, plans]) =>
    plans.map((plan, nth) => ({ step, plan, ratio: (plan.cost + 1) / (small.get(step)![nth]!.cost + 1) })),
  );

  it('has no plan that asks a query for each of its rows', () => {
    for (const { plan } of costs) expect(plan.text).not.toMatch(/SubPlan/);
  });

  it('reads what is of the whole archive in proportion, and of one window, page or load no more than before', () => {
    expect(costs.filter(({ step }) => step.startsWith('one')).length).toBeGreaterThan(9);
    for (const { step, plan, ratio } of costs)
      expect(ratio, `${step}: ${plan.text}`).toBeLessThan(step.startsWith('one') ? 3 : 16);
  });

  it('finds the pages of a load without those of its walk', () => {
    const [, page] = large.get('whole: loads')!;
    expect(page!.cost).toBeLessThan(small.get('whole: loads')![1]!.cost * 3);
  });
});
