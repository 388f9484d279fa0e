import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { daysOf, everyChoices, periodOf } from '../../../src/model/period.ts';
import { countNames } from '../../../src/model/records.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { readAccountTotals, readAsOf, readDigestAccounts } from '../../../src/warehouse/queries/figures.ts';
import { digestRowPages } from '../../../src/warehouse/queries/figures-rows.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { rounds } from '../../support/rounds.ts';

/* What a digest of a day, a week or a month reads beside sums and rates: test/job/digests/figures-always.test.ts. */

let database: TestDatabase;
let warehouse: Warehouse;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 2);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await warehouse.destroy();
  await database.drop();
});

const calendar = daysOf({ from: '2026-01-26', to: '2026-03-08' });
const count = fc.option(fc.oneof(fc.nat(500), fc.constantFrom(0, 2 ** 40)), { freq: 4 });
const row = fc.record({
  day: fc.constantFrom(...calendar),
  callsetId: fc.integer({ min: 1, max: 5 }),
  attempts: count,
  busies: count,
  connects: count,
  liveAnswers: count,
  withdrawn: fc.boolean(),
});
type Row = typeof row extends fc.Arbitrary<infer R> ? R : never;

const histories = fc.record({
  since: fc.option(fc.constantFrom(...calendar)),
  rows: fc.uniqueArray(row, { selector: ({ day, callsetId }) => `${day} ${callsetId}`, maxLength: 60 }),
  /** What isn't loaded, of days without rows. */
  gaps: fc.subarray(calendar, { maxLength: 6 }),
  provisional: fc.subarray(calendar, { maxLength: 2 }),
  every: fc.constantFrom(...everyChoices),
  day: fc.constantFrom(...calendar),
});

type History = typeof histories extends fc.Arbitrary<infer H> ? H : never;

async function load({ since, rows, gaps, provisional }: History) {
  await client.query('truncate etl.campaign_days, warehouse.account_days, etl.windows cascade');
  await client.query('truncate warehouse.accounts restart identity cascade');
  await client.query(
    `insert into warehouse.accounts (name, label, time_zone, since) values ('north', 'North', 'UTC', $1)`,
    [since],
  );
  await client.query(
    `insert into etl.campaign_days
       (account_id, day, callset_id, campaign, attempts, busies, connects, live_answers, loaded_at, withdrawn_at)
     select 1, day, id, 'on ' || day, a, b, c, l, now(), case when w then now() end
     from unnest($1::date[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::boolean[])
       r (day, id, a, b, c, l, w)`,
    [
      rows.map(({ day }) => day),
      rows.map(({ callsetId }) => callsetId),
      ...countNames.map((name) => rows.map((each) => each[name])),
      rows.map(({ withdrawn }) => withdrawn),
    ],
  );
  await client.query(
    `insert into warehouse.account_days (account_id, day, campaigns, attempts, busies, connects, live_answers, provisional, loaded_at)
     select 1, day, count(*), sum(attempts), sum(busies), sum(connects), sum(live_answers), day = any($1::date[]), now()
     from etl.campaign_days where withdrawn_at is null group by day`,
    [provisional],
  );
  await client.query(
    `insert into etl.windows (account_id, day, state, fetched_at)
     select 1, day, case when day = any($2::date[]) then 'provisional' else 'loaded' end, day + time '06:30' + interval '1 day'
     from unnest($1::date[]) day`,
    [calendar.filter((day) => !isGap(day, { rows, gaps })), provisional],
  );
}

const isGap = (day: string, { rows, gaps }: { rows: readonly Row[]; gaps: readonly string[] }) =>
  gaps.includes(day) && rows.every((each) => each.day !== day);

it('campaigns, what they leave unreported, gaps and rows of a period are those of its days', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      await load(history);
      const { every, day, since, provisional } = history;
      const period = periodOf(every, day);
      const isWithin = (each: string) => each >= period.from && each <= period.to;
      const rows = history.rows.filter((each) => isWithin(each.day) && !each.withdrawn);

      const [totals] = await readAccountTotals(warehouse, ['north'], period);
      for (const name of countNames) {
        const silent = rows.filter((each) => each[name] === null);
        expect(totals!.unreported[name]).toBe(new Set(silent.map(({ callsetId }) => callsetId)).size);
      }
      expect(totals!.campaigns).toBe(new Set(rows.map(({ callsetId }) => callsetId)).size);

      const days = daysOf(period);
      const isLoaded = (each: string) => calendar.includes(each) && !isGap(each, history);
      const expected = since === null || since > period.to ? days : days.filter((each) => each >= since);
      const lacking = expected.filter((each) => !isLoaded(each) || provisional.includes(each));
      const none = expected.some(isLoaded) ? 'provisional' : null;
      expect(totals!.lackingDays).toEqual(lacking);
      expect(totals!.state).toBe(lacking.length === 0 ? 'loaded' : none);
      expect((await readAsOf(warehouse, [1], period)) === null).toBe(!days.some(isLoaded));

      const listed = await readDigestAccounts(warehouse, ['north']);
      const streamed = (await Array.fromAsync(digestRowPages(warehouse, listed, period))).flat();
      const lines = rows.map((each) => `${each.day} ${each.callsetId} ${provisional.includes(each.day)}`);
      expect(
        streamed.map((each) => `${each.day} ${each.callsetId} ${each.status === 'provisional'}`),
      ).toEqual(lines.sort());
    }),
    { numRuns: rounds(40) },
  );
});
