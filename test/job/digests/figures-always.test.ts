import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Comparison,
  withPeriodBefore,
  withTypicalWeekday,
} from '../../../src/digest/content/comparison.ts';
import { findInsight } from '../../../src/digest/content/insight.ts';
import { toDate } from '../../../src/digest/content/to-date.ts';
import { hasFigures, sumUp } from '../../../src/digest/content/totals.ts';
import { plainOccasion, readFigures } from '../../../src/job/digests/compose-digest.ts';
import type { DigestFigures } from '../../../src/model/digest.ts';
import { periodOf } from '../../../src/model/period.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { definition } from '../../digest/figures.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { rounds } from '../../support/rounds.ts';
import { insightSql, lowestRatesSql, moversSql, tilesSql, toDateSql, totalsSql } from './figures-in-sql.ts';

let database: TestDatabase;
let warehouse: Warehouse;
let client: pg.Client;
beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 1);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into warehouse.accounts (account_id, name, label, time_zone, since) overriding system value values
      (1, 'north', 'North', 'UTC', '2026-01-01'), (2, 'coast', 'Coast', 'UTC', '2026-01-01')`,
  );
});
afterAll(async () => {
  await client.end();
  await warehouse.destroy();
  await database.drop();
});

const count = fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 0, max: 400 }) }, fc.constant(null));
const campaign = fc.record({
  id: fc.integer({ min: 1, max: 12 }),
  attempts: count,
  busies: count,
  connects: count,
  live: count,
  withdrawn: fc.constantFrom(...Array<boolean>(9).fill(false), true),
});
const window = fc.record({
  state: fc.constantFrom(...Array<string>(30).fill('loaded'), 'provisional', 'failed'),
  campaigns: fc.uniqueArray(campaign, { selector: ({ id }) => id, maxLength: 9 }),
});
/** Some days of a month that begin weeks, end months, or both; and 62 days of two accounts up to them. */
const history = fc.record({
  day: fc.constantFrom('2026-11-19', '2026-11-23', '2026-12-01', '2026-03-31', '2026-05-30', '2026-03-29'),
  accounts: fc.constantFrom([1], [1, 2], [1, 2], [2, 1]),
  windows: fc.array(window, { minLength: 130, maxLength: 130 }),
});

it('every figure of a digest is what SQL finds in the rows, whatever was loaded', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ day, accounts, windows }) => {
      await fill(day, windows);
      const names = accounts.map((id) => (id === 1 ? 'north' : 'coast'));
      const period = periodOf('day', day);
      const read = await readFigures(warehouse, definition({ accounts: names }), period, plainOccasion);
      await expectTiles(read, [day, accounts]);
      await expectToDate(read, [day, accounts]);
      await expectCampaigns(read, [day, accounts]);
      await expectInsight(read, [day, accounts]);
    }),
    // Shrinking two months of two accounts takes minutes.
    { numRuns: rounds(60), endOnFailure: true },
  );
});

/** The windows, from the newest on, one of each account a day. */
async function fill(
  day: string,
  windows: readonly (typeof window extends fc.Arbitrary<infer T> ? T : never)[],
) {
  await client.query('truncate warehouse.campaign_days, warehouse.account_days, etl.windows cascade');
  const rows = windows.map((each, index) => ({
    ...each,
    account: (index % 2) + 1,
    ago: Math.floor(index / 2),
    campaigns: each.state === 'failed' ? [] : each.campaigns,
  }));
  await client.query(
    `insert into etl.windows (account_id, day, state)
     select account, $1::date - ago, state from jsonb_to_recordset($2) r (account integer, ago integer, state text)`,
    [day, JSON.stringify(rows)],
  );
  await client.query(
    `insert into warehouse.campaign_days
       (account_id, day, callset_id, campaign, attempts, busies, connects, live_answers, loaded_at, withdrawn_at)
     select account, $1::date - ago, id, 'campaign ' || id, attempts, busies, connects, live, now(),
       case when withdrawn then now() end
     from jsonb_to_recordset($2) r (account integer, ago integer, campaigns jsonb),
       jsonb_to_recordset(campaigns) c (id bigint, attempts bigint, busies bigint, connects bigint, live bigint, withdrawn boolean)`,
    [day, JSON.stringify(rows)],
  );
  await client.query(
    `insert into warehouse.account_days (account_id, day, campaigns, attempts, busies, connects, live_answers, provisional, loaded_at)
     select w.account_id, w.day, count(c.callset_id), sum(attempts), sum(busies), sum(connects), sum(live_answers),
       w.state = 'provisional', now()
     from etl.windows w left join warehouse.campaign_days c
       on c.account_id = w.account_id and c.day = w.day and c.withdrawn_at is null
     where w.state <> 'failed' group by w.account_id, w.day`,
  );
}

type Parameters = readonly [day: string, accounts: readonly number[]];
type Row = { readonly [column: string]: string | number | null };
const ask = async (sql: string, parameters: Parameters): Promise<Row[]> =>
  (await client.query<Row>(sql, [...parameters])).rows;

/** Equal but for the last bits of a double, which a sum in another order may have otherwise. */
function expectSame(found: number | bigint | null | undefined, expected: Row[string] | undefined): void {
  if (expected === null || expected === undefined) expect(found ?? null).toBeNull();
  else expect(Number(found)).toBeCloseTo(Number(expected), 9);
}

async function expectTiles(read: DigestFigures, parameters: Parameters): Promise<void> {
  const found: { readonly [kind: string]: Comparison | null } = {
    before: withPeriodBefore(read),
    typical: withTypicalWeekday(read),
  };
  const rows = await ask(tilesSql, parameters);
  for (const [kind, comparison] of Object.entries(found)) {
    const row = rows.find((each) => each.kind === kind);
    expectSame(comparison?.accounts, row?.accounts);
    for (const [name, column] of [
      ['attempts', 'attempts'],
      ['busies', 'busies'],
      ['liveAnswers', 'live'],
    ] as const) {
      expectSame(comparison?.changes[name]?.now, row?.[column]);
      expectSame(comparison?.changes[name]?.reference, row?.[`${column}_ref`]);
    }
    const hasRates = row !== undefined && row.rate !== null && row.rate_ref !== null;
    expectSame(comparison?.connectRate?.now, hasRates ? row.rate : null);
    expectSame(comparison?.connectRate?.reference, hasRates ? row.rate_ref : null);
  }
  const totals = sumUp(read.accounts);
  const [row] = await ask(totalsSql, parameters);
  // Of an account without campaigns they are 0: nothing was left unreported.
  const ofNone = read.accounts.some((each) => hasFigures(each) && each.campaigns === 0) ? 0 : null;
  for (const [name, column] of [
    ['attempts', 'attempts'],
    ['busies', 'busies'],
    ['liveAnswers', 'live'],
  ] as const)
    expectSame(totals[name], row![column] ?? ofNone);
  expectSame(totals.rates.connects, row!.rate);
}

async function expectToDate(read: DigestFigures, parameters: Parameters): Promise<void> {
  const found = toDate(read);
  const rows = await ask(toDateSql, parameters);
  expect(found.map(({ period, accounts }) => ({ period, accounts }))).toEqual(
    rows.map(({ period, accounts }) => ({ period, accounts })),
  );
  for (const [index, row] of rows.entries()) {
    const { attempts, connectRate, attemptsChange, rateChange } = found[index]!;
    expectSame(attempts, row.attempts);
    expectSame(connectRate, row.rate);
    expectSame(attemptsChange?.now, row.now);
    expectSame(attemptsChange?.reference, row.past);
    const hasRates = row.rate_now !== null && row.rate_past !== null;
    expectSame(rateChange?.now, hasRates ? row.rate_now : null);
    expectSame(rateChange?.reference, hasRates ? row.rate_past : null);
  }
}

const idOf = (label: string) => (label === 'North' ? 1 : 2);

async function expectCampaigns(read: DigestFigures, parameters: Parameters): Promise<void> {
  const movers = await ask(moversSql, parameters);
  expect(
    read.movers.map(({ label, callsetId, attempts }) => [idOf(label), callsetId, attempts].join()),
  ).toEqual(movers.map((row) => [row.account_id, row.callset_id, row.now].join()));
  for (const [index, row] of movers.entries()) expectSame(read.movers[index]!.typical, row.typical);
  const lowest = await ask(lowestRatesSql, parameters);
  expect(read.lowestRates.map(({ label, callsetId }) => [idOf(label), callsetId].join())).toEqual(
    lowest.map((row) => [row.account_id, row.callset_id].join()),
  );
}

async function expectInsight(read: DigestFigures, parameters: Parameters): Promise<void> {
  const [row] = await ask(insightSql, parameters);
  // On the very bound, the last bit of a double decides.
  if (row?.margin !== null && Number(row?.margin) < 1e-9) return;
  const found = findInsight(read);
  if (row === undefined || row.moved === null) return expect(found).toBeNull();
  expect(found).toMatchObject({ moved: row.moved, up: row.up });
  expect(found?.where?.name ?? null).toBe(row.name);
}
