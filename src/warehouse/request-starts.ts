import sql from 'sql-template-tag';
import type { Queries } from './warehouse.ts';

/**
 * Reserves the next starts of requests to a service, so far apart, over all processes that ask it. By the clock of the
 * database: gives in how many milliseconds the first of them comes.
 */
export async function reserveStarts(
  warehouse: Queries,
  service: string,
  starts: number,
  apartMs: number,
): Promise<number> {
  const length = sql`${(starts * apartMs) / 1_000} * interval '1 second'`;
  const { rows } = await warehouse.query<{ inMs: number }>(sql`
    insert into etl.request_starts as s (service, next_at) values (${service}, clock_timestamp() + ${length})
    on conflict (service) do update set next_at = greatest(s.next_at, clock_timestamp()) + ${length}
    returning (extract(epoch from next_at - ${length} - clock_timestamp()) * 1000)::float8 as "inMs"
  `);
  return rows[0]!.inMs;
}

/** Lets nobody reserve a start that comes sooner than in so many milliseconds. */
export async function postponeStarts(warehouse: Queries, service: string, ms: number): Promise<void> {
  const later = sql`clock_timestamp() + ${ms / 1_000} * interval '1 second'`;
  await warehouse.query(sql`
    insert into etl.request_starts as s (service, next_at) values (${service}, ${later})
    on conflict (service) do update set next_at = greatest(s.next_at, ${later})
  `);
}
