import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CampaignRecord } from '../../../src/model/records.ts';
import { compareDay } from '../../../src/planning/compare-day.ts';
import { contentHash } from '../../../src/planning/decide-load.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { beginRun, databaseClock } from '../../../src/warehouse/ledger/runs.ts';
import { followCampaigns } from '../../../src/warehouse/load/campaigns.ts';
import { loadWindow } from '../../../src/warehouse/load/windows.ts';
import { disagreements } from '../../support/agreement.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { plainEnvelope } from '../../support/envelope.ts';
import { rounds } from '../../support/rounds.ts';
import { serviceResponse } from '../../support/service-response.ts';

let database: TestDatabase;
let warehouse: Warehouse;
let runId: number;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 4);
  const start = {
    kind: 'nightly' as const,
    command: 'test',
    runDate: '2026-03-06',
    scheduledFor: null,
    number: 1,
    retryUntil: null,
    host: 'here',
    processId: 1,
    exclusive: true,
  };
  runId = await beginRun(warehouse, start);
});
afterAll(async () => {
  await warehouse.destroy();
  await database.drop();
});

const days = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'];

/** A day as it is reported: attempts by campaign, and the campaigns' names on that day. */
const report = fc.record({
  day: fc.constantFrom(...days),
  name: fc.constantFrom('spring', 'summer'),
  attempts: fc.dictionary(fc.constantFrom('1', '2', '3'), fc.constantFrom(null, 0, 7)),
});

const query = async <Row>(text: string) => (await sql.raw<Row>(text).execute(warehouse)).rows;

async function load(
  accountId: number,
  { day, name, attempts }: typeof report extends fc.Arbitrary<infer A> ? A : never,
) {
  const records = Object.entries(attempts).map(
    ([id, count]): CampaignRecord => ({
      callsetId: Number(id),
      campaign: `${name} ${id}`,
      attempts: count,
      busies: null,
      connects: null,
      liveAnswers: null,
      extra: {},
    }),
  );
  const part = {
    accountId,
    day,
    records,
    rejects: [],
    provisional: false,
    catchUpLeft: null,
    runId,
    runDate: '2026-03-06',
    response: serviceResponse(),
  };
  const fetchedAt = await databaseClock(warehouse);
  const window = { ...part, ...plainEnvelope(records), contentHash: contentHash(records), fetchedAt };
  await loadWindow(warehouse, window, (current) => ({
    decision: 'apply',
    change: compareDay(current.rows, records, current.state === 'loaded', []),
    disagreeing: [],
  }));
}

it("a campaign's name and span are those of its days with attempts, whatever changed in whichever order, and at once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uniqueArray(report, { selector: ({ day }) => day }), { maxLength: 8 }),
      async (rounds) => {
        const name = `account ${crypto.randomUUID()}`;
        const accounts = await syncAccounts(warehouse, [{ name, label: name, timeZone: 'UTC' }]);
        const { id } = accounts.find((row) => row.name === name)!;
        for (const together of rounds) {
          await Promise.all([...together.map((each) => load(id, each)), followCampaigns(warehouse)]);
          expect(await disagreements({ query: query as never })).toEqual([]);
          await followCampaigns(warehouse);
          expect(await query('select from etl.windows where campaigns_due')).toEqual([]);
          expect(await disagreements({ query: query as never })).toEqual([]);
        }
      },
    ),
    { numRuns: rounds(60) },
  );
});
