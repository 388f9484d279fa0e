import { type Kysely, sql } from 'kysely';

/** The client lists and their history. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table warehouse.clients (
      account_id integer not null references warehouse.accounts,
      client_id bigint not null,
      name text,
      checksum text,
      balance numeric,
      extra jsonb not null default '{}',
      first_seen_at timestamptz not null,
      changed_at timestamptz not null,
      absent_since timestamptz,
      primary key (account_id, client_id)
    );
    comment on table warehouse.clients is 'Clients that each account lists. Last seen: accounts.clients_walked_at, unless absent.';
    comment on column warehouse.clients.account_id is 'Account whose token lists the client.';
    comment on column warehouse.clients.client_id is 'clientid of the service.';
    comment on column warehouse.clients.name is 'clientname of the service.';
    comment on column warehouse.clients.checksum is 'checksum of the service, as text.';
    comment on column warehouse.clients.balance is 'Account balance as told last; null where none was told.';
    comment on column warehouse.clients.extra is 'Fields of the record that the document of the service does not show, under their own names.';
    comment on column warehouse.clients.first_seen_at is 'When the client was first listed.';
    comment on column warehouse.clients.changed_at is 'When the record last differed from what was told before.';
    comment on column warehouse.clients.absent_since is 'Since when complete walks no longer list the client; null while they do.';

    create table warehouse.client_versions (
      account_id integer not null,
      client_id bigint not null,
      name text,
      valid_from timestamptz not null,
      valid_to timestamptz,
      primary key (account_id, client_id, valid_from),
      foreign key (account_id, client_id) references warehouse.clients
    );
    comment on table warehouse.client_versions is 'Names of each client over time: a slowly changing dimension without gaps or overlaps.';
    comment on column warehouse.client_versions.account_id is 'Account whose token lists the client.';
    comment on column warehouse.client_versions.client_id is 'clientid of the service.';
    comment on column warehouse.client_versions.name is 'Name of the client from valid_from to valid_to.';
    comment on column warehouse.client_versions.valid_from is 'When this name was first seen.';
    comment on column warehouse.client_versions.valid_to is 'When another name was first seen; null for the name of now.';

    create table warehouse.client_balances (
      account_id integer not null,
      client_id bigint not null,
      day date not null,
      balance numeric,
      primary key (account_id, client_id, day),
      foreign key (account_id, client_id) references warehouse.clients
    );
    comment on table warehouse.client_balances is 'Balances of each client, a row for each day on which the balance was another than before.';
    comment on column warehouse.client_balances.account_id is 'Account whose token lists the client.';
    comment on column warehouse.client_balances.client_id is 'clientid of the service.';
    comment on column warehouse.client_balances.day is 'Day, in the zone of the account, on which this balance was told first.';
    comment on column warehouse.client_balances.balance is 'The balance from that day on; null where the service told none any longer.';
  `.execute(db);
}
