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
import { hasFigures, lastDays, ratesOf, sumUp } from '../../../src/digest/content/totals.ts';
import { plainOccasion, readFigures } from '../../../src/job/digests/compose-digest.ts';
import type { DigestFigures, TopCampaign } from '../../../src/model/digest.ts';
import { type Every, periodOf } from '../../../src/model/period.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { definition } from '../../digest/figures.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { rounds } from '../../support/rounds.ts';
import {
  chartSql,
  insightSql,
  lowestRatesSql,
  moversSql,
  periodTilesSql,
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
      const read = await readDigest('day', day, accounts);
      await expectTotals(read, [day, accounts, 'day']);
      await expectDayTiles(read, [day, accounts]);
      await expectChart(read, [day, accounts]);
      await expectToDate(read, [day, accounts]);
      await expectCampaigns(read, [day, accounts]);
      expectTable(read.topCampaigns, await ask(topCampaignsSql, [day, accounts, 'day']));
      await expectInsight(read, [day, accounts]);
    }),
    // Shrinking two months of two accounts takes minutes.
    { numRuns: rounds(60), endOnFailure: true },
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

it('every figure of a digest of a week or a month is what SQL finds in the rows, and it has no day’s', async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(periodHistory, async ({ every, day, accounts, windows, gaps }) => {
      const last = periodOf(every, day).to;
      await fillWarehouse(
        client,
        last,
        windows.map((each, index) => ({ ...each, ...gaps.find((gap) => gap.index === index) })),
      );
      const read = await readDigest(every, day, accounts);
      await expectTotals(read, [day, accounts, every]);
      await expectPeriodTiles(read, [day, accounts, every]);
      await expectChart(read, [last, accounts]);
      expectTable(read.topCampaigns, await ask(topCampaignsSql, [day, accounts, every]));
      expect([toDate(read), findInsight(read), withTypicalWeekday(read)]).toEqual([[], null, null]);
      expect([read.movers, read.lowestRates]).toEqual([[], []]);
      if (withPeriodBefore(read) !== null) compared++;
    }),
    { numRuns: rounds(40), endOnFailure: true },
  );
  expect(compared).toBeGreaterThan(2);
});

const readDigest = (every: Every, day: string, accounts: readonly number[]) => {
  const names = accounts.map((id) => (id === 1 ? 'north' : 'coast'));
  return readFigures(warehouse, definition({ accounts: names, every }), periodOf(every, day), plainOccasion);
};

type Parameters = readonly [day: string, accounts: readonly number[], every?: Every | undefined];
type Row = { readonly [column: string]: string | number | null };
const ask = async (sql: string, parameters: Parameters): Promise<Row[]> =>
  (await client.query<Row>(sql, [...parameters])).rows;

/** Equal but for the last bits of a double, which a sum in another order may have otherwise. */
function expectSame(found: number | bigint | null | undefined, expected: Row[string] | undefined): void {
  if (expected === null || expected === undefined) expect(found ?? null).toBeNull();
  else expect(Number(found)).toBeCloseTo(Number(expected), 9);
}

const counts = [
  ['attempts', 'attempts'],
  ['busies', 'busies'],
  ['liveAnswers', 'live'],
] as const;

function expectComparison(comparison: Comparison | null, row: Row | undefined): void {
  expectSame(comparison?.accounts, row?.accounts);
  for (const [name, column] of counts) {
    expectSame(comparison?.changes[name]?.now, row?.[column]);
    expectSame(comparison?.changes[name]?.reference, row?.[`${column}_ref`]);
  }
  const hasRates = row !== undefined && row.rate !== null && row.rate_ref !== null;
  expectSame(comparison?.connectRate?.now, hasRates ? row.rate : null);
  expectSame(comparison?.connectRate?.reference, hasRates ? row.rate_ref : null);
}

/** The digest of all of its accounts, and each account by itself, as the table of accounts has it. */
const ofEach = (read: DigestFigures, accounts: readonly number[]) => [
  { figures: read, ids: accounts },
  ...read.accounts.map((account, index) => ({
    figures: { ...read, accounts: [account] },
    ids: [accounts[index]!],
  })),
];

async function expectDayTiles(read: DigestFigures, [day, accounts]: Parameters): Promise<void> {
  for (const { figures, ids } of ofEach(read, accounts)) {
    const rows = await ask(tilesSql, [day, ids]);
    const rowOf = (kind: string) => rows.find((row) => row.kind === kind);
    expectComparison(withPeriodBefore(figures), rowOf('before'));
    expectComparison(withTypicalWeekday(figures), rowOf('typical'));
  }
}

async function expectPeriodTiles(read: DigestFigures, [day, accounts, every]: Parameters): Promise<void> {
  for (const { figures, ids } of ofEach(read, accounts)) {
    const [row] = await ask(periodTilesSql, [day, ids, every]);
    expectComparison(withPeriodBefore(figures), row);
  }
}

async function expectTotals(read: DigestFigures, [day, accounts, every]: Parameters): Promise<void> {
  for (const { figures, ids } of ofEach(read, accounts)) {
    const totals = sumUp(figures.accounts);
    const [row] = await ask(totalsSql, [day, ids, every]);
    // Of an account without campaigns they are 0: nothing was left unreported.
    const ofNone = figures.accounts.some((each) => hasFigures(each) && each.campaigns === 0) ? 0 : null;
    for (const [name, column] of counts) expectSame(totals[name], row![column] ?? ofNone);
    expectSame(totals.connects, row!.connects ?? ofNone);
    expect(totals.campaigns).toBe(row!.campaigns);
    expectSame(totals.rates.connects, row!.rate);
    expectSame(totals.rates.liveAnswers, row!.live_rate);
    expectSame(totals.rates.busies, row!.busy_rate);
  }
}

async function expectChart(read: DigestFigures, parameters: Parameters): Promise<void> {
  const rows = await ask(chartSql, parameters);
  for (const { day, sums, connectRate } of lastDays(read)) {
    const row = rows.find((each) => each.day === day);
    expect(sums === null).toBe(row === undefined);
    expectSame(sums?.attempts, row?.attempts);
    expectSame(sums?.connects, row?.connects);
    expectSame(connectRate, row?.rate);
  }
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
  expectTable(read.lowestRates, await ask(lowestRatesSql, parameters));
}

function expectTable(found: readonly TopCampaign[], rows: readonly Row[]): void {
  expect(found.map(({ label, callsetId }) => [idOf(label), callsetId].join())).toEqual(
    rows.map((row) => [row.account_id, row.callset_id].join()),
  );
  for (const [index, row] of rows.entries()) {
    expectSame(Number(found[index]!.attempts), row.attempts);
    const { connects, liveAnswers } = ratesOf([found[index]!]);
    expectSame(connects, row.rate);
    expectSame(liveAnswers, row.live_rate);
  }
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
