import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { archiveDiscarded } from '../../../src/warehouse/archive/archive.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { lockEntry } from '../../../src/warehouse/ledger/window-entry.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { lockWaits } from '../../support/database.ts';
import { serviceResponse } from '../../support/service-response.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const [day, nextDay] = ['2026-03-02', '2026-03-03'] as const;
const fetchedAt = '2026-03-04T06:30:00Z';
const { addAccounts, databaseUrl, warehouse } = await openTestWarehouse(3);
const [north, coast] = (await addAccounts('north', 'coast')) as [number, number];

beforeEach(async () => {
  await warehouse.deleteFrom('etl.windows').execute();
});

const lock = (accountId: number, on: string = day) =>
  inTransaction(warehouse, (transaction) =>
    lockEntry(transaction, { accountId, day: on, fetchedAt, response: serviceResponse() }),
  );

it('a body is kept if an earlier response of this window had it, and it will not be pruned soon', async () => {
  const runId = await beginTestRun(warehouse, day);
  const isKept = (accountId: number, on: string, response = serviceResponse()) =>
    inTransaction(warehouse, async (transaction) => {
      const { isBodyArchived } = await lockEntry(transaction, { accountId, day: on, fetchedAt, response });
      return isBodyArchived;
    });
  await archiveDiscarded(warehouse, { runId, account: 'north', day }, serviceResponse(), 0);
  expect(await isKept(north, day)).toBe(true);
  expect(await isKept(north, day, serviceResponse('another'))).toBe(false);
  expect(await isKept(north, nextDay)).toBe(false);
  expect(await isKept(coast, day)).toBe(false);
  await sql`update etl.response_bodies set referenced_at = now() - interval '37 hours'`.execute(warehouse);
  expect(await isKept(north, day)).toBe(false);
});

it('one response of a window is decided on after the other, and its account isn’t erased meanwhile', async () => {
  await lock(north);
  const waiting: Promise<unknown>[] = [];
  await inTransaction(warehouse, async (transaction) => {
    await lockEntry(transaction, { accountId: north, day, fetchedAt, response: serviceResponse() });
    waiting.push(lock(north));
    await lockWaits(databaseUrl, 1);
    const erasing = sql`select from warehouse.accounts where account_id = ${north} for update`;
    waiting.push(erasing.execute(warehouse));
    await lockWaits(databaseUrl, 2);
  });
  await Promise.all(waiting);
});
