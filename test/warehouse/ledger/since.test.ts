import { beforeEach, expect, it } from 'vitest';
import { lowerFirstDay, readAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { readLedger } from '../../../src/warehouse/ledger/ledger.ts';
import { recordFailures } from '../../../src/warehouse/ledger/window-entry.ts';
import { readAccountDays } from '../../../src/warehouse/queries/account-days.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { addAccounts, warehouse } = await openTestWarehouse();
const accountId = (await addAccounts('north'))[0]!;

beforeEach(async () => {
  await warehouse.updateTable('warehouse.accounts').set({ first_expected_day: null }).execute();
});

const days = ['2026-03-01', '2026-03-02', '2026-03-03'] as const;
const since = async () => (await readAccounts(warehouse))[0]!.since;

it('the first expected day is only ever lowered', async () => {
  expect(await since()).toBeNull();
  await lowerFirstDay(warehouse, [accountId], days[1]);
  expect(await since()).toBe(days[1]);
  await lowerFirstDay(warehouse, [accountId], days[2]);
  expect(await since()).toBe(days[1]);
  await lowerFirstDay(warehouse, [accountId], days[0]);
  expect(await since()).toBe(days[0]);
});

it('what is read since a day begins with that day', async () => {
  await lowerFirstDay(warehouse, [accountId], days[0]);
  for (const day of days)
    await recordFailures(warehouse, [{ accountId, day, requestedAt: '2026-03-04T06:30:00Z' }], '2026-03-04', {
      code: 'SERVICE_UNAVAILABLE',
      detail: 'down',
      status: null,
    });
  const ledger = await readLedger(warehouse, days[1]);
  expect(ledger.map(({ day }) => day).sort()).toEqual(days.slice(1));
  const [account] = await readAccountDays(warehouse, Temporal.Instant.from('2026-03-04T12:00:00Z'), 31);
  expect(account!.days.map(({ day }) => day)).toEqual(days);
  const [reach] = await readAccountDays(warehouse, Temporal.Instant.from('2026-03-04T12:00:00Z'), 2);
  expect(reach!.days.map(({ day }) => day)).toEqual(days.slice(1));
});
