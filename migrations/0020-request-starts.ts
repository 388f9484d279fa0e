import { type Kysely, sql } from 'kysely';

/** One rate of requests over all processes: where workers share the windows, they share RATE_PER_SECOND, too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table etl.request_starts (
      service text primary key,
      next_at timestamptz not null
    );
    comment on table etl.request_starts is
      'When the next request may start, where several processes share RATE_PER_SECOND: run and backfill with --distribute, and their workers.';
    comment on column etl.request_starts.service is 'SERVICE_BASE_URL.';
    comment on column etl.request_starts.next_at is 'All starts before it are reserved by some process.';
  `.execute(db);
}
