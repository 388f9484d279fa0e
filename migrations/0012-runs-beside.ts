import { type Kysely, sql } from 'kysely';

/** Runs that others may work beside: a backfill doesn't take the run lock. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table etl.runs add column exclusive boolean not null default true;
    comment on column etl.runs.exclusive is 'Whether it holds the run lock while it works. A backfill does not.';
    comment on column etl.runs.started_at is 'When it began; where it is exclusive, just after it took the run lock.';
  `.execute(db);
}
