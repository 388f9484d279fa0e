import { type Kysely, sql } from 'kysely';

/** What the digests ask for: when a client was noted to be absent, what was restated since, what is quarantined. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table warehouse.clients add column absent_noted_at timestamptz;
    comment on column warehouse.clients.absent_noted_at is 'Start of the second walk that missed the client, from which on it is absent; null if none did.';

    create index campaign_day_restatements_by_time on warehouse.campaign_day_restatements (account_id, restated_at);
    create index rejects_by_day on etl.rejects (account_id, day);
  `.execute(db);
}
