import fc from 'fast-check';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Run } from '../../../src/job/run/run.ts';
import { toCandidate } from '../../../src/job/windows/decide.ts';
import { loadWindow } from '../../../src/job/windows/load-window.ts';
import { reviewDays } from '../../../src/job/windows/review-days.ts';
import type { Accepted } from '../../../src/model/accepted.ts';
import { acceptedFor } from '../../../src/model/anomaly.ts';
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

const catchUpDays = 21;

/** Two accounts: days of one may come with the figures of the other. */
const windows = [
  ...days.map((day) => ({ account: 'north', day })),
  ...days.slice(-3).map((day) => ({ account: 'coast', day })),
];

type Installation = {
  readonly database: TestDatabase;
  readonly warehouse: Warehouse;
  /** The run of each run date, and the backfill beside it. */
  readonly runs: ReadonlyMap<string, { readonly nightly: number; readonly backfill: number }>;
};
const installations: Installation[] = [];

beforeAll(async () => {
  for (const _ of [1, 2]) {
    const database = await createDatabase({ template: 'migrated' });
    const warehouse = openWarehouse(database.url, 4);
    const runs = new Map<string, { nightly: number; backfill: number }>();
    installations.push({ database, warehouse, runs });
    for (const runDate of runDates) {
      const nightly = await beginTestRun(warehouse, runDate);
      runs.set(runDate, { nightly, backfill: await beginTestRun(warehouse, runDate) });
    }
  }
});
afterAll(async () => {
  for (const { database, warehouse } of installations) {
    await warehouse.destroy();
    await database.drop();
  }
});

const kinds = [
  'good',
  'restated',
  'empty',
  'halved',
  'zeroed',
  'announcing more',
  'announcing much more',
  'with a remark',
  'with another remark',
  'leaving out a count',
  'unreadable counts',
  'no list',
  'as the day before',
  'as the other account',
] as const;

type Kind = (typeof kinds)[number];

/** All but one remark are accepted. */
const accepted: Accepted[] = [
  { kind: 'remark', operation: 'campaignSummary', sign: 'HTTP 206', account: null },
  { kind: 'empty', operation: 'campaignSummary', sign: 'HTTP 204', account: null },
];

const besides: {
  readonly [kind in Kind]?: Partial<SummaryEnvelope> & { readonly unreadableCounts?: number };
} = {
  'announcing more': { counts: { campaigns: 5 } },
  'announcing much more': { counts: { campaigns: 9 } },
  'with a remark': { remarks: ['note: partial data'] },
  'with another remark': { remarks: ['HTTP 206'] },
  'unreadable counts': { unreadableCounts: 1 },
  'no list': { emptyBy: 'HTTP 204' },
};
const listed: { readonly [kind in Kind]?: number } = { empty: 0, 'no list': 0, halved: 1 };

function reported(account: string, day: string, kind: Kind) {
  const isOther = (account === 'coast') !== (kind === 'as the other account');
  const base = Number(day.slice(8)) - (kind === 'as the day before' ? 1 : 0) + (isOther ? 100 : 0);
  const records = [1, 2, 3, 4].map(
    (callsetId): CampaignRecord => ({
      callsetId,
      campaign: 'x',
      attempts: kind === 'zeroed' ? 0 : base * callsetId + (kind === 'restated' ? 1 : 0),
      busies: kind === 'unreadable counts' && callsetId === 1 ? null : 0,
      connects: kind === 'zeroed' ? 0 : base,
      liveAnswers: kind === 'leaving out a count' ? null : 0,
      extra: {},
    }),
  );
  return { records: records.slice(0, listed[kind] ?? 4), beside: besides[kind] ?? {} };
}

const anyKind = fc.constantFrom(...kinds);
const mostlyGood = fc.oneof(fc.constant('good' as const), anyKind);

/** What the service reports of each window: one thing, and another from some run date on. Many have its way, whatever that is. */
const service = anyKind.chain((way) => {
  const kind = fc.oneof(fc.constant(way), mostlyGood);
  return fc.array(fc.record({ first: kind, later: kind, since: fc.constantFrom(...runDates) }), {
    minLength: windows.length,
    maxLength: windows.length,
  });
});

/** The windows that are fetched on a run date, some by a backfill, and in which order each installation loads them. */
const night = fc.subarray(windows, { minLength: 5 }).chain((fetched) => {
  const inSomeOrder = fc.shuffledSubarray(fetched, { minLength: fetched.length });
  return fc.record({ backfilled: fc.subarray(fetched), orders: fc.tuple(inSomeOrder, inSomeOrder) });
});

const history = fc.record({ service, nights: fc.tuple(...runDates.map(() => night)) });

/** New accounts, beside which there are no others: their ids by name. */
async function newAccounts(warehouse: Warehouse): Promise<Map<string, number>> {
  await sql`update warehouse.accounts set last_expected_day = '2026-03-01' where last_expected_day is null`.execute(
    warehouse,
  );
  const round = crypto.randomUUID();
  const rows = await syncAccounts(
    warehouse,
    ['north', 'coast'].map((name) => ({ name: `${name} ${round}`, label: name, timeZone: 'UTC' })),
  );
  return new Map(['north', 'coast'].map((name) => [name, rows.find((row) => row.name.startsWith(name))!.id]));
}

async function load(
  warehouse: Warehouse,
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
        catchUpDays,
      },
    ),
    response: plain.response,
    accountId,
    runId,
  };
  for (const repeatable of [true, false]) {
    const fetched = { ...window, fetchedAt: await databaseClock(warehouse) };
    const { decision } = await loadWindow(warehouse, fetched, repeatable, acceptedFor(accepted, 'north'));
    if (decision !== 'repeat') return;
  }
}

/** As the end of a run does, but for a request for days with the same figures. */
async function review(warehouse: Warehouse, runDate: string): Promise<void> {
  const run = {
    warehouse,
    runDate,
    log: pino({ level: 'silent' }),
    config: { planning: { catchUpDays } },
    signs: { accepted },
  };
  await reviewDays(run as unknown as Run);
}

/** All that is known of an account, but for when and by which run. */
async function known(warehouse: Warehouse, accountId: number) {
  const { rows: windows } = await sql<Record<string, unknown>>`
    select day, state, day_ended, content_hash, anomalies, provisional_reason, held_hash, held_code, held_reason,
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
  const { rows: decisions } = await sql<{ decision: string; sign: string | null }>`
    select run_date, day, decision, f.sign
    from etl.responses f join etl.runs using (run_id) where account_id = ${accountId}
    order by run_date, day, response_id`.execute(warehouse);
  return { windows, campaigns, restatements, decisions };
}

type Answer = { readonly window: (typeof windows)[number]; readonly kind: Kind };

/** One order matters: what has the figures of the day before is held if that day has them at that moment. */
function repeatsLast(one: Answer, other: Answer): number {
  const isRepeat = ({ kind }: Answer) => Number(kind === 'as the day before');
  return isRepeat(one) - isRepeat(other) || isRepeat(one) * one.window.day.localeCompare(other.window.day);
}

it('two warehouses that get the same responses on the same run dates hold the same rows, in whatever order these come', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ service, nights }) => {
      const found = installations.map(async ({ warehouse, runs }, index) => {
        const ids = await newAccounts(warehouse);
        for (const [night, { backfilled, orders }] of nights.entries()) {
          const runDate = runDates[night]!;
          const { nightly, backfill } = runs.get(runDate)!;
          const answers = orders[index]!.map((window) => {
            const { first, later, since } = service[windows.indexOf(window)]!;
            return { window, kind: runDate < since ? first : later };
          });
          for (const { window, kind } of answers.sort(repeatsLast)) {
            const { account, day } = window;
            const response = reported(account, day, kind);
            const runId = backfilled.includes(window) ? backfill : nightly;
            await load(warehouse, ids.get(account)!, runDate, runId, day, response);
          }
          await review(warehouse, runDate);
          // A second look changes nothing.
          if (index === 1) await review(warehouse, runDate);
        }
        return await Promise.all([...ids.values()].map((id) => known(warehouse, id)));
      });
      const [one, other] = await Promise.all(found);
      expect(other).toEqual(one);
    }),
    { numRuns: rounds(60, 4) },
  );
});
