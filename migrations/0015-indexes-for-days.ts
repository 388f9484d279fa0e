import { type Kysely, sql } from 'kysely';

/**
 * For questions about days, whosever they are; the primary keys serve those about an account. Days are loaded one after
 * the other, so that blocks hold few of them: a block range index finds them, and costs a load nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index campaign_days_by_day on warehouse.campaign_days using brin (day) with (pages_per_range = 16);
    create index account_days_by_day on warehouse.account_days (day);
    create index restatements_by_day on warehouse.campaign_day_restatements (day);
  `.execute(db);
}
