import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { readAccountDays } from '../../../src/warehouse/queries/account-days.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { warehouse } = await openTestWarehouse();
beforeAll(async () => {
  await sql`insert into warehouse.accounts (account_id, name, label, time_zone, first_expected_day) overriding system value
    values (1, 'north', 'North', 'UTC', '2026-03-02'), (2, 'coast', 'Coast', 'UTC', '2026-03-02')`.execute(
    warehouse,
  );
});

/** The lengths of the lists from 2 March on; null for a day that failed. */
async function cutAt(...lengths: readonly (number | null)[]): Promise<number | null> {
  await sql`delete from etl.windows`.execute(warehouse);
  for (const [index, length] of lengths.entries())
    await sql`insert into etl.windows (account_id, day, state, listed_campaigns)
      values (1, date '2026-03-02' + ${index}::integer, ${length === null ? 'failed' : 'loaded'}, ${length})`.execute(
      warehouse,
    );
  const accounts = await readAccountDays(warehouse, Temporal.Instant.from('2026-03-12T12:00:00Z'), 31);
  return accounts.find(({ name }) => name === 'north')!.cutAt;
}

it('lists of the same round length on the last three days that have some are found, with that length', async () => {
  expect(await cutAt(19, 1_000, 1_000, 1_000)).toBe(1_000);
  expect(await cutAt(50, 50, 0, 0, null, 50)).toBe(50);
});

it('an account without campaigns is found by the number of its loaded days, beside one that has some', async () => {
  await cutAt(50, 0);
  await sql`insert into etl.windows (account_id, day, state, listed_campaigns) values
    (2, '2026-03-02', 'loaded', 0), (2, '2026-03-03', 'provisional', 0), (2, '2026-03-04', 'failed', null)`.execute(
    warehouse,
  );
  const days = await readAccountDays(warehouse, Temporal.Instant.from('2026-03-12T12:00:00Z'), 31);
  expect(days.map((each) => `${each.name} ${each.daysWithoutCampaigns}`).sort()).toEqual([
    'coast 2',
    'north 0',
  ]);
});

it.each([
  ['two days', [50, 50]],
  ['another length', [1_000, 1_000, 999, 1_000]],
  ['two round lengths', [100, 200, 100]],
  ['no round length', [19, 19, 19]],
  ['a newer one of another length', [50, 50, 50, 51]],
])('lists with %s do not count as cut', async (_, lengths) => {
  expect(await cutAt(...lengths)).toBeNull();
});
