import { sql } from 'kysely';
import { beforeAll, it } from 'vitest';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { syncAccounts } from '../../../src/warehouse/ledger/accounts.ts';
import { lockEntry } from '../../../src/warehouse/ledger/window-entry.ts';
import { lockWaits } from '../../support/database.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const day = '2026-03-02';
const fetchedAt = '2026-03-04T06:30:00Z';
const { databaseUrl, warehouse } = await openTestWarehouse(3);
let north: number;

beforeAll(async () => {
  const rows = await syncAccounts(warehouse, [{ name: 'north', label: 'north', timeZone: 'UTC' }]);
  north = rows[0]!.id;
});

const lock = (accountId: number) =>
  inTransaction(warehouse, (transaction) => lockEntry(transaction, { accountId, day, fetchedAt }));

it('one response of a window is decided on after the other, and its account isn’t erased meanwhile', async () => {
  await lock(north);
  const waiting: Promise<unknown>[] = [];
  await inTransaction(warehouse, async (transaction) => {
    await lockEntry(transaction, { accountId: north, day, fetchedAt });
    waiting.push(lock(north));
    await lockWaits(databaseUrl, 1);
    const erasing = sql`select from warehouse.accounts where account_id = ${north} for update`;
    waiting.push(erasing.execute(warehouse));
    await lockWaits(databaseUrl, 2);
  });
  await Promise.all(waiting);
});
