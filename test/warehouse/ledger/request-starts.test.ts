import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { postponeStarts, reserveStarts } from '../../../src/warehouse/ledger/request-starts.ts';
import { openTestWarehouse } from '../../support/test-warehouse.ts';

const { warehouse } = await openTestWarehouse();

/** The next start of the service that is free, in milliseconds since 1970. */
async function nextAt(service: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select (extract(epoch from next_at) * 1000)::float8 as ms from etl.request_starts where service = ${service}`.execute(
    warehouse,
  );
  return rows[0]!.ms;
}

it('starts that are reserved together are as far apart as asked, and the next ones follow them', async () => {
  expect(await reserveStarts(warehouse, 'a', 3, 60_000)).toBeLessThanOrEqual(0);
  const first = await nextAt('a');
  const inMs = await reserveStarts(warehouse, 'a', 2, 60_000);
  expect(await nextAt('a')).toBeCloseTo(first + 120_000, 1);
  // Less what has passed since the first.
  expect(inMs).toBeLessThanOrEqual(180_000);
  expect(inMs).toBeGreaterThan(60_000);
});

it('starts that nobody reserved in time are lost, instead of happening at once', async () => {
  await reserveStarts(warehouse, 'idle', 1, 1_000);
  await sql`update etl.request_starts set next_at = next_at - interval '1 hour' where service = 'idle'`.execute(
    warehouse,
  );
  expect(await reserveStarts(warehouse, 'idle', 1, 1_000)).toBeGreaterThan(-600_000);
});

it('each service has starts of its own', async () => {
  await reserveStarts(warehouse, 'busy', 10, 60_000);
  expect(await reserveStarts(warehouse, 'free', 1, 60_000)).toBeLessThanOrEqual(0);
});

it('starts are postponed, and never brought forward', async () => {
  await postponeStarts(warehouse, 'paused', 600_000);
  const postponed = await nextAt('paused');
  await postponeStarts(warehouse, 'paused', 1);
  expect(await nextAt('paused')).toBe(postponed);
  expect(await reserveStarts(warehouse, 'paused', 1, 60_000)).toBeGreaterThan(0);
});
