import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { archiveDiscarded, pruneBodies } from '../../../src/warehouse/archive/archive.ts';
import { inTransaction } from '../../../src/warehouse/db/transaction.ts';
import { beginTestRun } from '../../support/begun-run.ts';
import { lockWaits } from '../../support/database.ts';
import { serviceResponse } from '../../support/service-response.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { addAccounts, databaseUrl, warehouse } = await openTestWarehouse(3);
await addAccounts('north', 'coast');
const runId = await beginTestRun(warehouse, '2026-03-03');

const keep = (account: string) =>
  archiveDiscarded(warehouse, { runId, account, day: '2026-03-02' }, serviceResponse(), 0);

it('of an account that is being erased nothing is written, and no body is locked, until that is done', async () => {
  const kept: Promise<unknown>[] = [];
  await inTransaction(warehouse, async (transaction) => {
    await sql`select from warehouse.accounts where name = 'north' for update`.execute(transaction);
    kept.push(keep('north').catch((error: unknown) => error));
    await lockWaits(databaseUrl, 1);
    await sql`lock table etl.response_bodies in exclusive mode nowait`.execute(transaction);
    await sql`delete from warehouse.accounts where name = 'north'`.execute(transaction);
  });
  expect(await Promise.all(kept)).toEqual([expect.objectContaining({ message: 'no result' })]);
});

it('a body that comes again is kept for as long as one that is new', async () => {
  await keep('coast');
  await sql`update etl.response_bodies set referenced_at = now() - interval '3 days'`.execute(warehouse);
  await keep('coast');
  expect(await pruneBodies(warehouse, 2)).toEqual({ bodies: 0, bytes: 0 });
});

it('pruning deletes the bodies that were not referenced for so many days, and counts them', async () => {
  await sql`insert into etl.response_bodies (sha256, size, zstd, referenced_at)
    select sha256(n::text::bytea), 1, 'xx', now() - make_interval(days => n) from generate_series(1, 4) n`.execute(
    warehouse,
  );
  expect(await pruneBodies(warehouse, 2)).toEqual({ bodies: 3, bytes: 6 });
  expect(await pruneBodies(warehouse, 2)).toEqual({ bodies: 0, bytes: 0 });
});
