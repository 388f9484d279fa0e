import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ratesOf, sumUp } from '../../../src/digest/content/totals.ts';
import { contentHash } from '../../../src/job/windows/decide.ts';
import { loadWindow } from '../../../src/job/windows/load-window.ts';
import { type CampaignRecord, type CountName, countNames, rateNames } from '../../../src/model/records.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { databaseClock } from '../../../src/warehouse/ledger/runs.ts';
import { readAccountTotals } from '../../../src/warehouse/queries/figures.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { plainEnvelope } from '../../support/envelope.ts';
import { rounds } from '../../support/rounds.ts';
import { serviceResponse } from '../../support/service-response.ts';

/*
 * Sums and rates are reckoned in three places: the warehouse's table, what the digest reads, and what it adds up over its
 * accounts. Each is held against plain arithmetic over the records.
 */

const day = '2026-03-02';
let database: TestDatabase;
let warehouse: Warehouse;
let runId: number;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 4);
  runId = await beginTestRun(warehouse, day);
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const count = fc.option(fc.oneof(fc.nat(500), fc.constantFrom(0, Number.MAX_SAFE_INTEGER)), { freq: 3 });
const campaigns = fc.uniqueArray(
  fc.record({
    callsetId: fc.integer({ min: 1, max: 30 }),
    campaign: fc.constant('x'),
    attempts: count,
    busies: count,
    connects: count,
    liveAnswers: count,
    extra: fc.constant({}),
  }),
  { selector: ({ callsetId }) => callsetId, maxLength: 12 },
);

async function load(records: readonly CampaignRecord[]): Promise<string> {
  const name = `account ${crypto.randomUUID()}`;
  const accounts = await syncAccounts(warehouse, [{ name, label: name, timeZone: 'UTC' }]);
  const window = {
    accountId: accounts.find((row) => row.name === name)!.id,
    day,
    records,
    rejects: [],
    rejectCount: 0,
    ...plainEnvelope(records),
    contentHash: contentHash(records),
    provisional: false,
    catchUpLeft: null,
    runId,
    runDate: day,
    response: serviceResponse(),
    fetchedAt: await databaseClock(warehouse),
  };
  await loadWindow(warehouse, window, { accepted: false, repeatable: false });
  return name;
}

/** The sum of what is reported; null of nothing. */
function sumOf(records: readonly CampaignRecord[], name: CountName): bigint | null {
  const reported = records.flatMap((record) => record[name] ?? []);
  return reported.length === 0 ? null : reported.reduce((total, each) => total + BigInt(each), 0n);
}

/** The sum of a count per attempt, over the campaigns that report both. */
function rateOf(records: readonly CampaignRecord[], name: CountName): number | null {
  const both = records.filter((record) => record[name] !== null && record.attempts !== null);
  const [part, attempts] = [sumOf(both, name), sumOf(both, 'attempts')];
  return part === null || attempts === null || attempts === 0n ? null : Number(part) / Number(attempts);
}

const isNear = (rate: number | null, expected: number | null) =>
  rate === null || expected === null
    ? rate === expected
    : Math.abs(rate - expected) <= Math.abs(expected) * 1e-12;

it('sums and rates of any counts are those of the campaigns that report them, in warehouse and digest', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(campaigns, { minLength: 1, maxLength: 3 }), async (accounts) => {
      const names = await Promise.all(accounts.map(load));
      const totals = await readAccountTotals(warehouse, names, { from: day, to: day });
      const { rows } = await sql<Record<string, string | null>>`
        select attempts, busies, connects, live_answers as "liveAnswers",
          connect_rate as "connectsRate", live_answer_rate as "liveAnswersRate", busy_rate as "busiesRate"
        from warehouse.account_days join warehouse.accounts using (account_id)
        where name = any(${names}) order by array_position(${names}::text[], name)`.execute(warehouse);
      for (const [index, records] of accounts.entries()) {
        for (const name of countNames) {
          const sum = sumOf(records, name);
          // A digest adds doubles, and 0 where no campaign ran: then nothing went unreported.
          const inDigest = sum === null ? (records.length === 0 ? 0 : null) : Number(sum);
          expect([rows[index]![name], totals[index]![name]]).toEqual([sum?.toString() ?? null, inDigest]);
          const missing = records.filter((record) => record[name] === null).length;
          expect(totals[index]!.unreported[name]).toBe(missing);
        }
        for (const name of rateNames) {
          const expected = rateOf(records, name);
          const stored = rows[index]![`${name}Rate`]!;
          expect(isNear(stored === null ? null : Number(stored), expected)).toBe(true);
          expect(isNear(ratesOf([totals[index]!])[name], expected)).toBe(true);
        }
      }
      const all = accounts.flat();
      const total = sumUp(totals);
      expect(total.campaigns).toBe(all.length);
      for (const name of countNames) {
        const sum = sumOf(all, name);
        const none = accounts.some((each) => each.length === 0) ? 0 : null;
        expect(isNear(total[name], sum === null ? none : Number(sum))).toBe(true);
      }
      for (const name of rateNames) expect(isNear(total.rates[name], rateOf(all, name))).toBe(true);
    }),
    { numRuns: rounds(100) },
  );
}, 60_000);
