import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { loadWindow } from '../../../src/job/windows/load-window.ts';
import { addDays } from '../../../src/model/day.ts';
import type { CampaignRecord, SummaryEnvelope } from '../../../src/model/records.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { databaseClock } from '../../../src/warehouse/ledger/runs.ts';
import { recordFailures } from '../../../src/warehouse/ledger/window-entry.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { plainResponse } from '../../support/plain-response.ts';
import { rounds } from '../../support/rounds.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const day = '2026-03-02';
const { warehouse } = await openTestWarehouse(4);
const runs = new Map<string, number>();

/** What the service reports: attempts by campaign, and what is beside them. */
type Figures = { readonly attempts: ReadonlyMap<number, number>; readonly beside: Partial<SummaryEnvelope> };

const records = ({ attempts }: Figures): CampaignRecord[] =>
  [...attempts].map(([callsetId, attempts]) => ({
    callsetId,
    campaign: 'x',
    attempts,
    busies: 0,
    connects: 0,
    liveAnswers: null,
    extra: {},
  }));

const figures: fc.Arbitrary<Figures> = fc.record({
  attempts: fc
    .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 3 })), {
      selector: ([id]) => id,
    })
    .map((pairs) => new Map(pairs)),
  beside: fc.constantFrom({}, {}, { notice: 'partial data' }, { counts: { campaigns: 9 } }),
});

/** What may happen between a service and a warehouse, in any order. */
const event = fc.oneof(
  fc.record({ kind: fc.constant('the service changes its mind' as const), figures }),
  fc.record({ kind: fc.constant('a response is fetched' as const) }),
  fc.record({ kind: fc.constant('a fetched response is loaded' as const), which: fc.nat(5) }),
  fc.record({ kind: fc.constant('a fetch fails' as const) }),
  fc.record({ kind: fc.constant('a transaction dies' as const) }),
  fc.record({ kind: fc.constant('a run date passes' as const) }),
);

const history = fc.record({
  first: figures,
  isOver: fc.boolean(),
  events: fc.array(event, { maxLength: 15 }),
  last: figures,
});

async function newAccount(): Promise<number> {
  const name = `account ${crypto.randomUUID()}`;
  const rows = await syncAccounts(warehouse, [{ name, label: name, timeZone: 'UTC' }]);
  return rows.find((row) => row.name === name)!.id;
}

async function runOn(runDate: string): Promise<number> {
  const begun = runs.get(runDate) ?? (await beginTestRun(warehouse, runDate));
  runs.set(runDate, begun);
  return begun;
}

type Fetched = {
  readonly figures: Figures;
  readonly isOver: boolean;
  readonly fetchedAt: string;
  readonly accepted?: boolean;
};

async function load(
  accountId: number,
  runDate: string,
  { figures, ...fetched }: Fetched,
  dies = false,
): Promise<void> {
  const plain = plainResponse(records(figures));
  const envelope = { ...plain.envelope, ...figures.beside };
  const window = {
    ...plain,
    // No jsonb holds half of a character: the last statement of the transaction fails.
    envelope: dies ? { ...envelope, counts: { '\ud800': 1 } } : envelope,
    ...fetched,
    runDate,
    accountId,
    day,
    runId: await runOn(runDate),
  };
  const loading = loadWindow(warehouse, window, false);
  await (dies ? expect(loading).rejects.toThrow('invalid input syntax for type json') : loading);
}

async function stateOf(accountId: number): Promise<string | undefined> {
  const { rows } = await sql<{ state: string }>`
    select state from etl.windows where account_id = ${accountId}`.execute(warehouse);
  return rows[0]?.state;
}

async function current(accountId: number): Promise<[number, number][]> {
  const { rows } = await sql<{ id: number; attempts: number }>`
    select callset_id as id, attempts from etl.campaign_days
    where account_id = ${accountId} and withdrawn_at is null order by 1`.execute(warehouse);
  return rows.map(({ id, attempts }) => [id, attempts]);
}

/** The figures as they were reported at an instant: from rows and restatements alone. */
async function reportedAt(accountId: number, instant: string): Promise<[number, number][]> {
  const { rows } = await sql<{ id: number; attempts: number }>`
    with later as (
      select distinct on (callset_id) * from warehouse.campaign_day_restatements
      where account_id = ${accountId} and restated_at > ${instant}::timestamptz
      order by callset_id, restated_at
    )
    select callset_id as id, attempts_before as attempts from later where loaded_at <= ${instant}::timestamptz
    union all
    select callset_id, attempts from etl.campaign_days d
    where account_id = ${accountId} and loaded_at <= ${instant}::timestamptz
      and (withdrawn_at is null or withdrawn_at > ${instant}::timestamptz)
      and not exists (select from later l where l.callset_id = d.callset_id)
    order by 1`.execute(warehouse);
  return rows.map(({ id, attempts }) => [id, attempts]);
}

it('converges on the complete list that the service reports in the end, whatever happened, once a person accepts what it takes away; and no confirmed report is lost', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ first, isOver, events, last }) => {
      const accountId = await newAccount();
      let now = first;
      let runDate = '2026-03-03';
      const fetched: Fetched[] = [];
      const reports: { readonly instant: string; readonly figures: [number, number][] }[] = [];
      const fetch = async (isOver = true) => ({
        figures: now,
        isOver,
        fetchedAt: await databaseClock(warehouse),
      });
      const report = async () => {
        // A change of a provisional day is no restatement.
        if ((await stateOf(accountId)) !== 'loaded') return;
        reports.push({ figures: await current(accountId), instant: await databaseClock(warehouse) });
      };
      await load(accountId, runDate, await fetch(isOver));
      await report();
      for (const each of events) {
        if (each.kind === 'the service changes its mind') now = each.figures;
        if (each.kind === 'a response is fetched') fetched.push(await fetch());
        if (each.kind === 'a run date passes') runDate = addDays(runDate, 1);
        if (each.kind === 'a fetch fails')
          await recordFailures(
            warehouse,
            [{ accountId, day, requestedAt: await databaseClock(warehouse) }],
            runDate,
            {
              code: 'SERVICE_UNAVAILABLE',
              detail: 'failed',
              status: null,
            },
          );
        if (each.kind === 'a transaction dies') await load(accountId, runDate, await fetch(), true);
        const arriving =
          each.kind === 'a fetched response is loaded'
            ? fetched[each.which % (fetched.length || 1)]
            : undefined;
        if (arriving) await load(accountId, runDate, arriving);
        await report();
      }
      now = { ...last, beside: {} };
      for (const accepted of [false, true])
        await load(accountId, addDays(runDate, 1), { ...(await fetch()), accepted });
      expect(await current(accountId)).toEqual([...now.attempts].sort(([one], [other]) => one - other));
      expect(await stateOf(accountId)).toBe('loaded');
      for (const { instant, figures } of reports)
        expect(await reportedAt(accountId, instant)).toEqual(figures);
    }),
    { numRuns: rounds(25) },
  );
});
