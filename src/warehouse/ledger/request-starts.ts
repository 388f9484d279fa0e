import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/**
 * Reserves the next starts of requests to a service, `apartMs` apart, across all processes that send it
 * requests. Returns the milliseconds until the first one, by the database's clock.
 */
export async function reserveStarts(
  warehouse: Queries,
  service: string,
  starts: number,
  apartMs: number,
): Promise<number> {
  const length = interval(starts * apartMs);
  const { rows } = await sql<{ inMs: number }>`
    insert into etl.request_starts as s (service, next_at) values (${service}, clock_timestamp() + ${length})
    on conflict (service) do update set next_at = greatest(s.next_at, clock_timestamp()) + ${length}
    returning (extract(epoch from next_at - ${length} - clock_timestamp()) * 1000)::float8 as "inMs"
  `.execute(warehouse);
  return rows[0]!.inMs;
}

/** Ensures that no process reserves a start within the next `ms` milliseconds. */
export async function postponeStarts(warehouse: Queries, service: string, ms: number): Promise<void> {
  await sql`
    insert into etl.request_starts as s (service, next_at) values (${service}, clock_timestamp() + ${interval(ms)})
    on conflict (service) do update set next_at = greatest(s.next_at, excluded.next_at)
  `.execute(warehouse);
}

function interval(ms: number) {
  return sql`${ms / 1_000} * interval '1 second'`;
}
