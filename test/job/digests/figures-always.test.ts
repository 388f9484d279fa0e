import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Changes } from '../../../src/digest/content/comparison.ts';
import { type Facts, factsOf } from '../../../src/digest/content/facts.ts';
import { findInsight } from '../../../src/digest/content/insight.ts';
import { toDate } from '../../../src/digest/content/to-date.ts';
import { hasFigures, ratesOf, sumUp } from '../../../src/digest/content/totals.ts';
import { plainOccasion, readFigures } from '../../../src/job/digests/compose-digest.ts';
import type { TopCampaign } from '../../../src/model/digest.ts';
import { type Every, periodOf } from '../../../src/model/period.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { definition } from '../../digest/figures.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { rounds } from '../../support/rounds.ts';
import {
  chartSql,
  extremeRatesSql,
  insightSql,
  moversSql,
  tilesSql,
  toDateSql,
  topCampaignsSql,
  totalsSql,
} from './figures-in-sql.ts';
import { fillWarehouse, randomWindow } from './random-windows.ts';

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

/** Some days of a month that begin weeks, end months, or both; and 62 days of two accounts up to them. */
const history = fc.record({
  day: fc.constantFrom('2026-11-19', '2026-11-23', '2026-12-01', '2026-03-31', '2026-05-30', '2026-03-29'),
  accounts: fc.constantFrom([1], [1, 2], [1, 2], [2, 1]),
  windows: fc.array(randomWindow, { minLength: 130, maxLength: 130 }),
});

it('every figure of a digest of a day is what SQL finds in the rows, whatever was loaded', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ day, accounts, windows }) => {
      await fillWarehouse(client, day, windows);
      await expectFigures('day', day, accounts);
    }),
    // Shrinking two months of two accounts takes minutes.
    { numRuns: rounds(30), endOnFailure: true },
  );
});

/** Few gaps, for a month is compared where 61 days of an account have none. */
const periodHistory = fc.record({
  every: fc.constantFrom('week', 'month'),
  day: fc.constantFrom('2026-11-19', '2026-11-22', '2026-12-01', '2026-03-31', '2026-02-28'),
  accounts: fc.constantFrom([1], [1, 2], [1, 2], [2, 1]),
  windows: fc.array(
    fc.record({ state: fc.constant('loaded'), campaigns: randomWindow.map(({ campaigns }) => campaigns) }),
    { minLength: 130, maxLength: 130 },
  ),
  gaps: fc.uniqueArray(fc.record({ index: fc.nat(129), state: fc.constantFrom('provisional', 'failed') }), {
    selector: ({ index }) => index,
    maxLength: 3,
  }),
});

it('every figure of a digest of a week or a month is what SQL finds in the rows', async () => {
  let [compared, said] = [0, 0];
  await fc.assert(
    fc.asyncProperty(periodHistory, async ({ every, day, accounts, windows, gaps }) => {
      await fillWarehouse(
        client,
        periodOf(every, day).to,
        windows.map((each, index) => ({ ...each, ...gaps.find((gap) => gap.index === index) })),
      );
      const facts = await expectFigures(every, day, accounts);
      if (facts.comparison !== null) compared++;
      if (findInsight(facts) !== null) said++;
    }),
    { numRuns: rounds(25), endOnFailure: true },
  );
  expect(compared).toBeGreaterThan(0);
  expect(said).toBeGreaterThan(0);
});

async function expectFigures(every: Every, day: string, accounts: readonly number[]): Promise<Facts> {
  const names = accounts.map((id) => (id === 1 ? 'north' : 'coast'));
  const digest = definition({ accounts: names, every });
  const facts = factsOf(await readFigures(warehouse, digest, periodOf(every, day), plainOccasion));
  const parameters = [day, accounts, every] as const;
  await expectTotals(facts, parameters);
  await expectComparison(facts, parameters);
  await expectChart(facts, parameters);
  await expectToDate(facts, parameters);
  await expectCampaigns(facts, parameters);
  await expectInsight(facts, parameters);
  return facts;
}

type Parameters = readonly [day: string, accounts: readonly number[], every: Every];
type Row = { readonly [column: string]: string | number | null };
const ask = async (sql: string, parameters: Parameters): Promise<Row[]> =>
  (await client.query<Row>(sql, parameters.slice(0, sql.includes('$3') ? 3 : 2))).rows;

/** Equal but for the last bits of a double, which a sum in another order may have otherwise. */
function expectSame(found: number | null | undefined, expected: Row[string] | undefined): void {
  if (expected === null || expected === undefined) expect(found ?? null).toBeNull();
  else expect(Number(found)).toBeCloseTo(Number(expected), 9);
}

const counts = [
  ['attempts', 'attempts'],
  ['busies', 'busies'],
  ['liveAnswers', 'live'],
] as const;

function expectChanges(changes: Changes | undefined, row: Row | undefined): void {
  for (const [name, column] of counts) {
    expectSame(changes?.counts[name]?.now, row?.[`${column}_ref`] === null ? null : row?.[column]);
    expectSame(changes?.counts[name]?.reference, row?.[`${column}_ref`]);
  }
  expect(changes?.counts.attempts?.accounts ?? 0).toBe(row?.attempts_of ?? 0);
  const hasRates = row !== undefined && row.rate !== null && row.rate_ref !== null;
  expectSame(changes?.connectRate?.now, hasRates ? row.rate : null);
  expectSame(changes?.connectRate?.reference, hasRates ? row.rate_ref : null);
  if (hasRates) expect(changes?.connectRate?.accounts).toBe(row.rate_of);
}

/** The digest of all of its accounts; of each account by itself, the rate and, of days and weeks, the counts. */
async function expectComparison(
  { comparison, accounts }: Facts,
  [day, ids, every]: Parameters,
): Promise<void> {
  const rowOf = async (some: readonly number[]) => (await ask(tilesSql, [day, some, every]))[0];
  expectChanges(comparison?.total, await rowOf(ids));
  if (every === 'month') return;
  for (const [index, { account }] of accounts.entries())
    expectChanges(comparison?.accounts.get(account), await rowOf([ids[index]!]));
}

async function expectTotals(read: Facts, [day, ids, every]: Parameters): Promise<void> {
  const all = { accounts: read.accounts, ids };
  const each = read.accounts.map((account, index) => ({ accounts: [account], ids: [ids[index]!] }));
  for (const { accounts, ids } of [all, ...each]) {
    const totals = sumUp(accounts);
    const [row] = await ask(totalsSql, [day, ids, every]);
    // Without campaigns they are 0: nothing was left unreported.
    const ofNone = accounts.some((each) => hasFigures(each) && each.campaigns === 0) ? 0 : null;
    for (const [name, column] of counts) expectSame(totals[name], row![column] ?? ofNone);
    expectSame(totals.connects, row!.connects ?? ofNone);
    expect(totals.campaigns).toBe(row!.campaigns);
    expectSame(totals.rates.connects, row!.rate);
    expectSame(totals.rates.liveAnswers, row!.live_rate);
    expectSame(totals.rates.busies, row!.busy_rate);
  }
}

async function expectChart({ days, day: last }: Facts, [, accounts, every]: Parameters): Promise<void> {
  const rows = await ask(chartSql, [last, accounts, every]);
  for (const { day, sums, connectRate } of days) {
    const row = rows.find((each) => each.day === day);
    expect(sums === null).toBe(row === undefined);
    expectSame(sums?.attempts, row?.attempts);
    expectSame(sums?.connects, row?.connects);
    expectSame(connectRate, row?.rate);
  }
}

async function expectToDate(facts: Facts, parameters: Parameters): Promise<void> {
  const found = toDate(facts);
  if (facts.period.every !== 'day') return expect(found).toEqual([]);
  const rows = await ask(toDateSql, parameters);
  expect(found.map(({ period, lackingDays }) => [period, lackingDays])).toEqual(
    rows.map(({ period, lacking }) => [period, lacking]),
  );
  for (const [index, row] of rows.entries()) {
    expectSame(found[index]!.attempts, row.attempts);
    expectSame(found[index]!.connectRate, row.rate);
  }
}

const idOf = (label: string) => (label === 'North' ? 1 : 2);

async function expectCampaigns(read: Facts, parameters: Parameters): Promise<void> {
  const movers = await ask(moversSql, parameters);
  expect(read.movers.map(({ label, callsetId }) => [idOf(label), callsetId].join())).toEqual(
    movers.map((row) => [row.account_id, row.callset_id].join()),
  );
  for (const [index, row] of movers.entries()) {
    expectSame(read.movers[index]!.attempts, row.now);
    expectSame(read.movers[index]!.typical, row.typical);
  }
  expectTable(read.topCampaigns, await ask(topCampaignsSql, parameters));
  expectTable(read.extremeRates, await ask(extremeRatesSql, parameters));
}

function expectTable(found: readonly TopCampaign[], rows: readonly Row[]): void {
  expect(found.map(({ label, callsetId }) => [idOf(label), callsetId].join())).toEqual(
    rows.map((row) => [row.account_id, row.callset_id].join()),
  );
  for (const [index, row] of rows.entries()) {
    expectSame(found[index]!.attempts, row.attempts);
    const { connects, liveAnswers } = ratesOf([found[index]!]);
    expectSame(connects, row.rate);
    expectSame(liveAnswers, row.live_rate);
  }
}

async function expectInsight(read: Facts, parameters: Parameters): Promise<void> {
  const [row] = await ask(insightSql, parameters);
  // On the very bound, the last bit of a double decides.
  if (row?.margin !== null && Number(row?.margin) < 1e-9) return;
  const found = findInsight(read);
  if (row === undefined || row.moved === null) return expect(found).toBeNull();
  expect(found).toMatchObject({ moved: row.moved, up: row.up });
  expect(found?.where?.name ?? null).toBe(row.name);
}
