import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isSettled } from '../../../src/job/windows/due.ts';
import { addDays } from '../../../src/model/day.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

it('coverage shows those confirmed days as settling that a run takes for not settled yet', async () => {
  await client.query(
    `insert into warehouse.accounts (name, label, time_zone, since) values ('north', 'N', 'UTC', '2026-03-01')`,
  );
  const sameSinceRunDate = '2026-04-02';
  const entries = [null, -1, 0, 1].flatMap((catchUpLeft) =>
    [sameSinceRunDate, '2026-04-03'].flatMap((syncedRunDate) =>
      (['loaded', 'provisional'] as const).map((state) => ({
        state,
        syncedRunDate,
        sameSinceRunDate,
        catchUpLeft,
      })),
    ),
  );
  const expected: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const day = addDays('2026-02-10', index);
    if (entry.state === 'loaded' && !isSettled(entry)) expected.push(day);
    await client.query(
      `insert into etl.windows (account_id, day, state, synced_run_date, same_since_run_date, catch_up_left)
       values (1, $1, $2, $3, $4, $5)`,
      [day, entry.state, entry.syncedRunDate, entry.sameSinceRunDate, entry.catchUpLeft],
    );
  }
  const { rows } = await client.query('select day::text from warehouse.coverage where settling order by day');
  expect(rows.map(({ day }) => day)).toEqual(expected);
  expect(expected.length).toBeLessThan(entries.length);
});
