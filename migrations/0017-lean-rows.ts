import { type Kysely, sql } from 'kysely';

/**
 * The large tables go without foreign keys: each row that is written would be looked up by a trigger, which takes
 * longer than all the rest. Their keys come out of the same transaction, from rows that nothing ever deletes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table warehouse.clients drop constraint clients_account_id_fkey;
    alter table warehouse.client_versions drop constraint client_versions_account_id_client_id_fkey;
    alter table warehouse.client_balances drop constraint client_balances_account_id_client_id_fkey;
    alter table warehouse.campaigns drop constraint campaigns_account_id_fkey;
    alter table warehouse.campaign_days drop constraint campaign_days_account_id_fkey;
    alter table etl.fetches drop constraint fetches_run_id_fkey, drop constraint fetches_account_id_fkey,
      drop constraint fetches_walk_fkey;
  `.execute(db);
}
