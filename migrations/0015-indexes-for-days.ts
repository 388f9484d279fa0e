import { type Kysely, sql } from 'kysely';

/** For questions about days, whosever they are. The primary keys serve those about an account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index campaign_days_by_day on warehouse.campaign_days (day);
    create index account_days_by_day on warehouse.account_days (day);
    create index restatements_by_day on warehouse.campaign_day_restatements (day);
  `.execute(db);
}
