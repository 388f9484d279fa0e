import { type Kysely, sql } from 'kysely';

/**
 * A campaign spans many windows, so keeping it inside each window's transaction made loads of an account wait for each
 * other. Windows are marked instead, and `warehouse.campaigns` follows at the end of a run.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table etl.windows add column campaigns_due boolean not null default false;
    comment on column etl.windows.campaigns_due is 'Whether warehouse.campaigns has yet to follow what was loaded of this window.';
    comment on table warehouse.campaigns is 'Campaigns with attempts on any day that stands. Follows at the end of a run: join it from the left.';
  `.execute(db);
}
