import { type Kysely, sql } from 'kysely';

/** A slot whose run was killed or interrupted is served by another one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    comment on column etl.runs.slot is
      'Slot of the schedule that it served; null for a run by hand, and once another run has taken up the slot.';
  `.execute(db);
}
