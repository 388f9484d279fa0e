import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toCandidate } from '../../../src/job/windows/decide.ts';
import { loadWindow } from '../../../src/job/windows/load-window.ts';
import { daysBetween } from '../../../src/model/day.ts';
import type { CampaignRecord, SummaryEnvelope } from '../../../src/model/records.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { databaseClock } from '../../../src/warehouse/ledger/runs.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { plainResponse } from '../../support/plain-response.ts';
import { rounds } from '../../support/rounds.ts';

/** Five nights; on the first, a Tuesday, it is still that day. */
const runDates = daysBetween('2026-03-24', '2026-03-28');
/** Four Mondays, of which runs after the first know three, a Sunday, and days that aren't over or within LOOKBACK_DAYS. */
const days = [
  '2026-03-02',
  '2026-03-09',
  '2026-03-15',
  '2026-03-16',
  '2026-03-22',
  '2026-03-23',
  '2026-03-24',
];

let database: TestDatabase;
let warehouse: Warehouse;
/** The run of each run date, and the backfill beside it. */
const runs = new Map<string, { readonly nightly: number; readonly backfill: number }>();

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 4);
  for (const runDate of runDates) {
    const nightly = await beginTestRun(warehouse, runDate);
    runs.set(runDate, { nightly, backfill: await beginTestRun(warehouse, runDate) });
  }
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const kinds = [
  'good',
  'restated',
  'empty',
  'halved',
  'zeroed',
  'announcing more',
  'with an error',
  'leaving out a count',
] as const;

type Kind = (typeof kinds)[number];

const besides: { readonly [kind in Kind]?: Partial<SummaryEnvelope> } = {
  'announcing more': { counts: { campaigns: 9 } },
  'with an error': { notice: 'partial data' },
};
const listed: { readonly [kind in Kind]?: number } = { empty: 0, halved: 1 };

function reported(day: string, kind: Kind) {
  const base = Number(day.slice(8));
  const records = [1, 2, 3, 4].map(
    (callsetId): CampaignRecord => ({
      callsetId,
      campaign: 'x',
      attempts: kind === 'zeroed' ? 0 : base * callsetId + (kind === 'restated' ? 1 : 0),
      busies: 0,
      connects: kind === 'zeroed' ? 0 : base,
      liveAnswers: kind === 'leaving out a count' ? null : 0,
      extra: {},
    }),
  );
  return { records: records.slice(0, listed[kind] ?? 4), beside: besides[kind] ?? {} };
}

const mostlyGood = fc.oneof(fc.constant('good' as const), fc.constantFrom(...kinds));

/** What the service reports of each day: one thing, and another from some run date on. */
const service = fc.array(
  fc.record({
    first: mostlyGood,
    later: mostlyGood,
    since: fc.constantFrom(...runDates),
  }),
  { minLength: days.length, maxLength: days.length },
);

/** The days that are fetched on a run date, some by a backfill, and in which order they are loaded in each warehouse. */
const night = fc.subarray(days, { minLength: 4 }).chain((fetched) => {
  const inSomeOrder = fc.shuffledSubarray(fetched, { minLength: fetched.length });
  return fc.record({ backfilled: fc.subarray(fetched), orders: fc.tuple(inSomeOrder, inSomeOrder) });
});

const history = fc.record({ service, nights: fc.tuple(...runDates.map(() => night)) });

async function newAccount(): Promise<number> {
  const name = `account ${crypto.randomUUID()}`;
  const rows = await syncAccounts(warehouse, [{ name, label: name, timeZone: 'UTC' }]);
  return rows.find((row) => row.name === name)!.id;
}

async function load(
  accountId: number,
  runDate: string,
  runId: number,
  day: string,
  { records, beside }: ReturnType<typeof reported>,
): Promise<void> {
  const plain = plainResponse(records);
  const window = {
    ...toCandidate(
      { ...plain, ...plain.envelope, ...beside },
      {
        day,
        runDate,
        accepted: false,
        now: Temporal.Instant.from(`${runDate}T06:30:00Z`),
        timeZone: 'UTC',
        lookbackDays: 3,
        catchUpDays: 21,
      },
    ),
    response: plain.response,
    accountId,
    runId,
  };
  for (const repeatable of [true, false]) {
    const fetched = { ...window, fetchedAt: await databaseClock(warehouse) };
    const { decision } = await loadWindow(warehouse, fetched, repeatable);
    if (decision !== 'repeat') return;
  }
}

/** All that is known of an account, but for when and by which run. */
async function known(accountId: number) {
  const { rows: windows } = await sql<Record<string, unknown>>`
    select day, state, day_ended, content_hash, anomalies, provisional_reason, held_hash, held_reason,
      synced_run_date, same_since_run_date, settled, listed_campaigns, active_campaigns, attempts, busies, connects,
      live_answers, connect_rate_connects, connect_rate_attempts, live_answer_rate_live_answers,
      live_answer_rate_attempts, busy_rate_busies, busy_rate_attempts
    from etl.windows where account_id = ${accountId} order by day`.execute(warehouse);
  const { rows: campaigns } = await sql`
    select day, callset_id, campaign, attempts, busies, connects, live_answers, extra,
      withdrawn_at is not null as withdrawn, restated_at is not null as restated
    from etl.campaign_days where account_id = ${accountId} order by day, callset_id`.execute(warehouse);
  const { rows: restatements } = await sql`
    select day, callset_id, reason, attempts_before, connects_before, live_answers_before
    from warehouse.campaign_day_restatements where account_id = ${accountId}
    order by day, callset_id, restated_at`.execute(warehouse);
  const { rows: decisions } = await sql<{ decision: string; anomalies: unknown }>`
    select run_date, day, decision, f.anomalies
    from etl.responses f join etl.runs using (run_id) where account_id = ${accountId}
    order by run_date, day, response_id`.execute(warehouse);
  return { windows, campaigns, restatements, decisions };
}

it('two warehouses that get the same responses on the same run dates hold the same rows, in whatever order these come', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ service, nights }) => {
      const accounts = [await newAccount(), await newAccount()];
      for (const [night, { backfilled, orders }] of nights.entries()) {
        const runDate = runDates[night]!;
        const { nightly, backfill } = runs.get(runDate)!;
        for (const [index, accountId] of accounts.entries())
          for (const day of orders[index]!) {
            const { first, later, since } = service[days.indexOf(day)]!;
            const response = reported(day, runDate < since ? first : later);
            await load(accountId, runDate, backfilled.includes(day) ? backfill : nightly, day, response);
          }
      }
      const [one, other] = await Promise.all(accounts.map(known));
      expect(other).toEqual(one);
    }),
    { numRuns: rounds(60) },
  );
});
