import { beforeAll, expect, it } from 'vitest';
import type { DigestRow } from '../../../src/model/digest.ts';
import { inSnapshot } from '../../../src/warehouse/db/transaction.ts';
import { readAccountTotals, readDigestAccounts } from '../../../src/warehouse/queries/figures.ts';
import { digestRowPages, readCsvColumns } from '../../../src/warehouse/queries/figures-rows.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const day = '2026-11-19';
const period = { from: day, to: day };
const rows = 4_501;

const { client, warehouse } = await openTestWarehouse();
beforeAll(async () => {
  await client.query(`
    insert into warehouse.accounts (account_id, name, label, time_zone, first_expected_day) overriding system value
      values (1, 'north', 'North office', 'UTC', '2026-11-10');
    insert into etl.windows (account_id, day, state, listed_campaigns, attempts) values (1, '${day}', 'loaded', ${rows}, ${rows});
    insert into etl.campaign_days (account_id, day, callset_id, attempts, loaded_at, extra)
      select 1, '${day}', id, 1, now(), '{"cost": 1.25}' from generate_series(1, ${rows}) id`);
});

/** What the CSV makes its cells of. The compiler doesn't see what the statement selects. */
const fields = {
  account: true,
  label: true,
  day: true,
  callsetId: true,
  campaign: true,
  attempts: true,
  busies: true,
  connects: true,
  liveAnswers: true,
  status: true,
  extra: true,
} satisfies Record<keyof DigestRow, true>;

it('a digest has all rows of a day, and the totals of the same moment though the day is loaded again meanwhile', async () => {
  await inSnapshot(warehouse, '5min', async (snapshot) => {
    const [totals] = await readAccountTotals(snapshot, ['north'], period);
    await client.query('update etl.campaign_days set attempts = 1000');
    await client.query('update etl.windows set attempts = 2000');
    const accounts = await readDigestAccounts(snapshot, ['north']);
    const found = (await Array.fromAsync(digestRowPages(snapshot, accounts, period))).flat();
    expect(found.map(({ callsetId }) => callsetId)).toEqual(
      Array.from({ length: rows }, (_, index) => index + 1),
    );
    expect(Object.keys(found[0]!).sort()).toEqual(Object.keys(fields).sort());
    expect(BigInt(found.reduce((sum, { attempts }) => sum + attempts!, 0))).toBe(totals!.attempts);
  });
});

it('a CSV has the columns and further fields that have a value', async () => {
  const accounts = await readDigestAccounts(warehouse, ['north']);
  expect(await readCsvColumns(warehouse, accounts, [day], ['cost', 'none'])).toEqual({
    attempts: true,
    busies: false,
    connects: false,
    liveAnswers: false,
    extraFields: [{ field: 'cost', isNumeric: true }],
  });
  await client.query(
    `update etl.campaign_days set extra = jsonb_build_object('cost', '68.26', 'id', '007', 'mixed', callset_id, 'long', repeat('9', 16))`,
  );
  await client.query(`update etl.campaign_days set extra = extra || '{"mixed": "a"}' where callset_id = 1`);
  const { extraFields } = await readCsvColumns(warehouse, accounts, [day], ['id', 'mixed', 'cost', 'long']);
  expect(extraFields.map(({ field, isNumeric }) => [field, isNumeric])).toEqual([
    ['id', false],
    ['mixed', false],
    ['cost', true],
    ['long', false],
  ]);
});
