import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDays } from '../../../src/model/day.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/db/database.ts';
import { readWalkStates } from '../../../src/warehouse/queries/walk-states.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let warehouse: Warehouse;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  warehouse = openWarehouse(database.url, 1);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `insert into warehouse.accounts (account_id, name, label, time_zone, until) overriding system value values
      (1, 'north', 'North', 'UTC', null), (2, 'coast', 'Coast', 'UTC', null), (3, 'gone', 'Gone', 'UTC', '2026-01-01')`,
  );
});
afterAll(async () => {
  await client.end();
  await warehouse.destroy();
  await database.drop();
});

type PastWalk = {
  readonly verdict: 'complete' | 'changed' | 'incomplete' | null;
  readonly missing: number;
};

const runDateOf = (index: number) => addDays('2026-03-01', index);

/** Records one walk a run date of north; coast and gone have others, which are none of its business. */
async function record(walks: readonly PastWalk[]): Promise<void> {
  await client.query('truncate etl.walks cascade');
  for (const [index, { verdict, missing }] of walks.entries()) {
    const runDate = runDateOf(index);
    const reason = verdict === 'complete' ? null : `reason of ${runDate}`;
    await client.query(
      `insert into etl.walks (account_id, run_date, day, started_at, verdict, reason, implausible_missing)
       values (1, $1, $1, $2, $3, $4, $5), (2, $1, $1, $2, 'complete', null, 0), (3, $1, $1, $2, 'incomplete', 'x', 0)`,
      [runDate, `${runDate} 06:30:00+00`, verdict, reason, verdict === 'complete' ? missing : 0],
    );
  }
}

const walk = fc.record({
  verdict: fc.constantFrom('complete', 'complete', 'changed', 'incomplete', null),
  missing: fc.constantFrom(0, 0, 12),
});

it('the walks of an account are what was recorded of them, whatever their order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(walk, { maxLength: 7 }), async (walks) => {
      await record(walks);
      const ended = walks
        .map((each, index) => ({ ...each, runDate: runDateOf(index) }))
        .filter(({ verdict }) => verdict !== null);
      const last = ended.at(-1);
      const completeIndex = ended.findLastIndex(({ verdict }) => verdict === 'complete');
      const complete = ended[completeIndex];
      const believedIndex = ended.findLastIndex(
        ({ verdict, missing }) => verdict === 'complete' && missing === 0,
      );
      const doubted = ended
        .slice(believedIndex + 1)
        .find(({ verdict, missing }) => verdict === 'complete' && missing > 0);
      const states = await readWalkStates(warehouse);
      expect([...states.keys()].sort()).toEqual(['coast', 'north']);
      expect(states.get('coast')!.incompleteSince).toBeNull();
      expect(states.get('north')).toEqual({
        verdict: last?.verdict ?? null,
        runDate: last?.runDate ?? null,
        reason: last && last.verdict !== 'complete' ? `reason of ${last.runDate}` : null,
        errorCode: null,
        completeAt: complete ? `${complete.runDate} 06:30:00+00` : null,
        completeRunDate: complete?.runDate ?? null,
        incompleteSince: ended[completeIndex + 1]?.runDate ?? null,
        implausibleMissing: complete?.missing ?? 0,
        implausibleSince: complete && complete.missing > 0 ? doubted!.runDate : null,
      });
    }),
    { numRuns: 60 },
  );
});
