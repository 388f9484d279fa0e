import { type Kysely, sql } from 'kysely';

/**
 * What a client is now stands in its own row, since when included; tables of history hold only what is past. A first
 * walk writes one row a client then, where it wrote three.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table warehouse.clients add column name_since timestamptz, add column balance_since date;
    update warehouse.clients c
    set name_since = coalesce(
        (select valid_from from warehouse.client_versions v
         where v.account_id = c.account_id and v.client_id = c.client_id and v.valid_to is null),
        c.first_seen_at),
      balance_since = (
        select max(day) from warehouse.client_balances b
        where b.account_id = c.account_id and b.client_id = c.client_id);
    alter table warehouse.clients alter column name_since set not null;
    comment on column warehouse.clients.name_since is 'When the current name was first seen.';
    comment on column warehouse.clients.balance_since is 'Day, in the zone of the account, on which the current balance was first reported; null where none ever was.';

    create table etl.past_client_versions (
      account_id integer not null,
      client_id bigint not null,
      name text,
      valid_from timestamptz not null,
      valid_to timestamptz not null,
      primary key (account_id, client_id, valid_from)
    );
    comment on table etl.past_client_versions is 'Names that clients no longer have. warehouse.client_versions shows them with the current ones.';
    comment on column etl.past_client_versions.account_id is 'Account whose token lists the client.';
    comment on column etl.past_client_versions.client_id is 'clientid of the service.';
    comment on column etl.past_client_versions.name is 'Name of the client from valid_from to valid_to.';
    comment on column etl.past_client_versions.valid_from is 'When this name was first seen.';
    comment on column etl.past_client_versions.valid_to is 'When another name was first seen.';

    create table etl.past_client_balances (
      account_id integer not null,
      client_id bigint not null,
      day date not null,
      balance numeric,
      primary key (account_id, client_id, day)
    );
    comment on table etl.past_client_balances is 'Balances that clients no longer have. warehouse.client_balances shows them with the current ones.';
    comment on column etl.past_client_balances.account_id is 'Account whose token lists the client.';
    comment on column etl.past_client_balances.client_id is 'clientid of the service.';
    comment on column etl.past_client_balances.day is 'Day, in the zone of the account, on which this balance was first reported.';
    comment on column etl.past_client_balances.balance is 'The balance from that day on; null where the service reported none any longer.';

    insert into etl.past_client_versions (account_id, client_id, name, valid_from, valid_to)
    select account_id, client_id, name, valid_from, valid_to from warehouse.client_versions where valid_to is not null;
    insert into etl.past_client_balances (account_id, client_id, day, balance)
    select b.account_id, b.client_id, b.day, b.balance
    from warehouse.client_balances b join warehouse.clients c using (account_id, client_id)
    where b.day < c.balance_since;
    drop table warehouse.client_versions, warehouse.client_balances;

    create view warehouse.client_versions as
    select account_id, client_id, name, valid_from, valid_to from etl.past_client_versions
    union all
    select account_id, client_id, name, name_since, null from warehouse.clients;
    comment on view warehouse.client_versions is 'Names of each client over time: a slowly changing dimension without gaps or overlaps. Unique by account_id, client_id, valid_from.';
    comment on column warehouse.client_versions.account_id is 'Account whose token lists the client.';
    comment on column warehouse.client_versions.client_id is 'clientid of the service.';
    comment on column warehouse.client_versions.name is 'Name of the client from valid_from to valid_to.';
    comment on column warehouse.client_versions.valid_from is 'When this name was first seen.';
    comment on column warehouse.client_versions.valid_to is 'When another name was first seen; null for the current name.';

    create view warehouse.client_balances as
    select account_id, client_id, day, balance from etl.past_client_balances
    union all
    select account_id, client_id, balance_since, balance from warehouse.clients where balance_since is not null;
    comment on view warehouse.client_balances is 'Balances of each client, a row for each day on which the balance was another than before. Unique by account_id, client_id, day.';
    comment on column warehouse.client_balances.account_id is 'Account whose token lists the client.';
    comment on column warehouse.client_balances.client_id is 'clientid of the service.';
    comment on column warehouse.client_balances.day is 'Day, in the zone of the account, on which this balance was first reported.';
    comment on column warehouse.client_balances.balance is 'The balance from that day on; null where the service reported none any longer.';
  `.execute(db);
}
