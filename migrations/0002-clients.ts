import type { Kysely } from 'kysely';
import { createTable, createView, execute } from './support/commented.ts';

const account = 'Key in warehouse.accounts.';
const client = 'clientid of the service.';

/**
 * Creates the client lists. A client's row has its current values; tables of history have only past ones.
 * Clients and past balances have no foreign keys: a walk may write a row for each client, and with keys that
 * takes twice as long.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'warehouse.clients',
    'Clients that each account lists. Last seen: accounts.clients_walked_at, unless absent.',
    {
      account_id: ['integer not null', account],
      client_id: ['bigint not null', client],
      name: ['text', 'clientname of the service.'],
      checksum: ['text', 'checksum of the service, as text.'],
      balance: ['numeric', 'Balance as last reported; null if never reported.'],
      extra: [`jsonb not null default '{}'`, 'Other fields of the service, under their own names.'],
      first_seen_at: ['timestamptz not null', 'When the client was first listed.'],
      renamed_at: ['timestamptz', 'When the current name was first seen; null if it never had another.'],
      balance_first_day: [
        'date',
        "First day with this balance, in the account's zone; null if never reported.",
      ],
      updated_at: [
        'timestamptz not null',
        'When the row last changed; it also changes when the client becomes absent or returns: the cursor of an incremental load.',
      ],
      absent_at: ['timestamptz', 'When complete walks ceased to list it; null while they do.'],
    },
    ['primary key (account_id, client_id)'],
  );
  await createPast(db);
  await createClientDays(db);
  await createView(
    db,
    'warehouse.client_versions',
    'Names of clients over time, without gaps or overlaps: a slowly changing dimension. Unique by account_id, client_id, valid_from.',
    {
      account_id: account,
      client_id: client,
      name: 'Name from valid_from to valid_to.',
      valid_from: 'When this name was first seen.',
      valid_to: 'When the next name was first seen; null for the current one.',
      updated_at: 'When the row last changed.',
    },
    `select account_id, client_id, name, valid_from, valid_to, valid_to as updated_at from etl.past_client_versions
     union all
     select account_id, client_id, name, coalesce(renamed_at, first_seen_at), null, coalesce(renamed_at, first_seen_at)
     from warehouse.clients`,
  );
  await createView(
    db,
    'warehouse.client_balances',
    'Balances of clients over time, without gaps: a row for each day on which a list had another one than the list before. warehouse.client_days has the balances of a day. Unique by account_id, client_id, day.',
    {
      account_id: account,
      client_id: client,
      day: "First day with this balance, in the account's zone.",
      balance: 'Balance from that day on; null if no longer reported.',
      previous_balance: 'Balance before; null if none.',
      previous_day: 'First day with the balance before; null if none.',
      next_day: 'First day with the next balance; null for the current one.',
      updated_at: 'When the row last changed, or the client in warehouse.clients.',
    },
    // By its key, Postgres skips the join for queries that name no column of it.
    `select b.account_id, b.client_id, b.day, b.balance, p.balance as previous_balance, p.day as previous_day, b.next_day,
       b.updated_at
     from (
       select account_id, client_id, day, balance, next_day, replaced_at as updated_at from etl.past_client_balances
       union all
       select account_id, client_id, balance_first_day, balance, null, updated_at
       from warehouse.clients where balance_first_day is not null) b
     left join etl.past_client_balances p on p.account_id = b.account_id and p.client_id = b.client_id and p.next_day = b.day`,
  );
  await createView(
    db,
    'warehouse.client_absences',
    'Absences of clients from complete walks, past and present. Unique by account_id, client_id, absent_at.',
    {
      account_id: account,
      client_id: client,
      absent_at: 'When complete walks ceased to list it.',
      returned_at: 'When it was listed again; null while it is absent.',
      updated_at:
        'When the row last changed: a client is known to be absent a night after absent_at, or later.',
    },
    `select account_id, client_id, absent_at, returned_at, returned_at as updated_at from etl.past_client_absences
     union all
     select account_id, client_id, absent_at, null, updated_at from warehouse.clients where absent_at is not null`,
  );
}

/**
 * Day by day, client by client: a condition on day or account reaches both, and each balance is found by its key. A day is over
 * in the zone of the account, and Postgres may not know that zone.
 */
async function createClientDays(db: Kysely<unknown>): Promise<void> {
  const dayOf = (instant: string) => `(${instant} at time zone a.zone)::date`;
  await createView(
    db,
    'warehouse.client_days',
    'The client list of each day up to today: the clients that it had, with their balances. As the newest list up to that day had them. Ask for one day, or for one account: over all of them it has a row for each client and day. Unique by account_id, client_id, day.',
    {
      account_id: account,
      account: 'Name of the account.',
      client_id: client,
      name: 'Its newest name.',
      day: "Day in the account's zone.",
      balance: 'Balance on that day; null if not reported.',
    },
    `select a.account_id, a.name as account, c.client_id, c.name, d.day,
       case when d.day >= c.balance_first_day then c.balance else (
         select case when p.day <= d.day then p.balance end from etl.past_client_balances p
         where p.account_id = c.account_id and p.client_id = c.client_id and p.next_day > d.day
         order by p.next_day limit 1) end as balance
     from (
       select account_id, name, last_expected_day, etl.known_zone(time_zone) as zone from warehouse.accounts offset 0) a
     cross join lateral (
       select ${dayOf('min(c.first_seen_at)')} as first from warehouse.clients c where c.account_id = a.account_id) f
     cross join lateral (
       select f.first + n as day
       from generate_series(0, least(${dayOf('now()')}, a.last_expected_day + 1) - f.first) n) d
     join warehouse.clients c on c.account_id = a.account_id
       and ${dayOf('c.first_seen_at')} <= d.day
       and (c.absent_at is null or ${dayOf('c.absent_at')} > d.day)
     where not exists (
       select from etl.past_client_absences p
       where p.account_id = c.account_id and p.client_id = c.client_id
         and ${dayOf('p.absent_at')} <= d.day and ${dayOf('p.returned_at')} > d.day)`,
  );
}

async function createPast(db: Kysely<unknown>): Promise<void> {
  await createTable(
    db,
    'etl.past_client_versions',
    'Names that clients no longer have. warehouse.client_versions shows them with the current ones.',
    {
      account_id: ['integer not null', account],
      client_id: ['bigint not null', client],
      name: ['text', 'Name of the client from valid_from to valid_to.'],
      valid_from: ['timestamptz not null', 'When this name was first seen.'],
      valid_to: ['timestamptz not null', 'When another name was first seen.'],
    },
    [
      'primary key (account_id, client_id, valid_from)',
      'foreign key (account_id, client_id) references warehouse.clients',
    ],
  );
  await createTable(
    db,
    'etl.past_client_balances',
    'Balances that clients no longer have. warehouse.client_balances shows them with the current ones.',
    {
      account_id: ['integer not null', account],
      client_id: ['bigint not null', client],
      day: ['date not null', 'Day, in the zone of the account, on which this balance was first reported.'],
      balance: ['numeric', 'The balance from that day on; null where the service no longer reported one.'],
      next_day: [
        'date not null',
        'Day, in the zone of the account, on which the next balance was first reported.',
      ],
      replaced_at: ['timestamptz not null', 'When that balance was loaded.'],
    },
    ['primary key (account_id, client_id, next_day)'],
  );
  await createTable(
    db,
    'etl.past_client_absences',
    'Absences of clients that were listed again. warehouse.client_absences shows them with the current ones.',
    {
      account_id: ['integer not null', account],
      client_id: ['bigint not null', client],
      absent_at: ['timestamptz not null', 'When complete walks ceased to list it.'],
      returned_at: ['timestamptz not null', 'When it was listed again.'],
    },
    [
      'primary key (account_id, client_id, absent_at)',
      'foreign key (account_id, client_id) references warehouse.clients',
    ],
  );
  await execute(
    db,
    'create index past_client_balances_by_day on etl.past_client_balances using brin (day) with (pages_per_range = 16, autosummarize = on)',
  );
}
