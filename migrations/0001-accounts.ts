import { type Kysely, sql } from 'kysely';

/** Schemas, and whose figures these are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create schema warehouse;
    comment on schema warehouse is 'Campaign figures of the voice broadcasting service, for BI tools to read.';
    create schema if not exists etl;
    comment on schema etl is 'What the nightly job keeps for itself: runs, ledger, archive, quarantine, outbox.';

    create table warehouse.accounts (
      account_id integer generated always as identity primary key,
      name text not null unique,
      label text not null,
      time_zone text not null,
      since date,
      until date,
      clients_walked_at timestamptz,
      client_account_id integer references warehouse.accounts,
      client_id bigint
    );
    comment on table warehouse.accounts is 'Accounts: whom a session token of the settings identifies. Figures belong to an account.';
    comment on column warehouse.accounts.account_id is 'Key of the account in every table of this schema.';
    comment on column warehouse.accounts.name is 'Name in the settings: the identity of the account.';
    comment on column warehouse.accounts.label is 'What people read; the name where the settings give none.';
    comment on column warehouse.accounts.time_zone is 'IANA zone in which the days of the account begin and end.';
    comment on column warehouse.accounts.since is 'First day that ought to be loaded. Null before the first run.';
    comment on column warehouse.accounts.until is 'Last day that ought to be loaded, of an account gone from the settings.';
    comment on column warehouse.accounts.clients_walked_at is 'When its list of clients was last walked from first to last page. A later walk of the same night that changed nothing leaves it.';
    comment on column warehouse.accounts.client_account_id is 'Account in whose client list this account stands, where the settings say so.';
    comment on column warehouse.accounts.client_id is 'Client of that list which this account is, where the settings say so.';
  `.execute(db);
}
