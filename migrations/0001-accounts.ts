import type { Kysely } from 'kysely';
import { createTable, execute } from './support/commented.ts';

/** Creates the schemas and the accounts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await execute(
    db,
    'create schema warehouse',
    `comment on schema warehouse is 'Campaign figures of the voice broadcasting service, for BI tools to read.'`,
    'create schema if not exists etl',
    `comment on schema etl is 'What the nightly job keeps for itself: runs, ledger, archive, quarantine, outbox.'`,
  );
  await createTable(
    db,
    'etl.migration_contents',
    'The content of each applied migration: a schema that was made by other content is refused.',
    {
      name: ['text primary key', 'Name of the migration, as in etl.migrations.'],
      sha256: ['text not null', 'SHA-256 of its file, in hexadecimal digits.'],
    },
  );
  await createKnownZone(db);
  await createTable(
    db,
    'warehouse.accounts',
    'Accounts: each is the owner of a session token in the settings. Figures belong to an account.',
    {
      account_id: ['integer generated always as identity primary key', 'Key in every table of this schema.'],
      name: ['text not null unique', 'Name in the settings: its identity.'],
      label: ['text not null', 'Name for people; without one in the settings, name.'],
      time_zone: ['text not null', 'IANA zone of its days.'],
      first_expected_day: [
        'date',
        'First expected day: yesterday of its first run without dates, or where a backfill began; null before.',
      ],
      last_expected_day: ['date', 'Last expected day of an account gone from the settings.'],
      clients_walked_at: ['timestamptz', 'When its client list was last walked completely.'],
      listed_by_account_id: [
        'integer references warehouse.accounts',
        'Account that lists this account as a client, if the settings name it.',
      ],
      listed_client_id: ['bigint', 'Client in that list that this account is, if the settings name it.'],
    },
  );
  await createTable(
    db,
    'etl.complete_through',
    'How far each account was complete when the last run ended: warehouse.freshness reads the days after it.',
    {
      account_id: ['integer primary key references warehouse.accounts', 'Account.'],
      complete_through_day: [
        'date not null',
        'Last day through which every day since the first expected one was confirmed; the day before that if the first was not.',
      ],
    },
  );
}

/**
 * Postgres may lose the name of a zone: newer packages of Debian leave old ones out. One account's unknown
 * zone must not break a view for the others, so views call this function, which never fails.
 */
async function createKnownZone(db: Kysely<unknown>): Promise<void> {
  await execute(
    db,
    `create function etl.known_zone(zone text) returns text
     language plpgsql stable strict set search_path = '' as $$
     begin
       perform now() at time zone zone;
       return zone;
     exception
       when invalid_parameter_value then return 'UTC';
     end
     $$`,
    `comment on function etl.known_zone(text) is 'The IANA zone itself; UTC if Postgres does not know it.'`,
  );
}
