import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/**
 * Reserves the next starts of requests to a service, so far apart, over all processes that send it requests. By the
 * clock of the database: gives the milliseconds until the first of them.
 */
export async function reserveStarts(
  warehouse: Queries,
  service: string,
  starts: number,
  apartMs: number,
): Promise<number> {
  const length = interval(starts * apartMs);
  const { inMs } = await warehouse
    .insertInto('etl.request_starts')
    .values({
      service,
      next_at: sql<string>`clock_timestamp() + ${length}`,
    })
    .onConflict((conflict) =>
      conflict.column('service').doUpdateSet((eb) => ({
        next_at: sql<string>`greatest(${eb.ref('etl.request_starts.next_at')}, clock_timestamp()) + ${length}`,
      })),
    )
    .returning(
      sql<number>`(extract(epoch from next_at - ${length} - clock_timestamp()) * 1000)::float8`.as('inMs'),
    )
    .executeTakeFirstOrThrow();
  return inMs;
}

/** Lets nobody reserve a start that is sooner than in so many milliseconds. */
export async function postponeStarts(warehouse: Queries, service: string, ms: number): Promise<void> {
  const later = sql<string>`clock_timestamp() + ${interval(ms)}`;
  await warehouse
    .insertInto('etl.request_starts')
    .values({
      service,
      next_at: later,
    })
    .onConflict((conflict) =>
      conflict.column('service').doUpdateSet((eb) => ({
        next_at: sql<string>`greatest(${eb.ref('etl.request_starts.next_at')}, ${later})`,
      })),
    )
    .execute();
}

function interval(ms: number) {
  return sql`${ms / 1_000} * interval '1 second'`;
}
