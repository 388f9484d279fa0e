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
    'Accounts: whom a session token of the settings identifies. Figures belong to an account.',
    {
      account_id: [
        'integer generated always as identity primary key',
        'Key of the account in every table of this schema.',
      ],
      name: ['text not null unique', 'Name in the settings: the identity of the account.'],
      label: ['text not null', 'What people read; the name where the settings give none.'],
      time_zone: ['text not null', 'IANA zone in which the days of the account begin and end.'],
      since: [
        'date',
        'First day that is expected to be loaded: yesterday of its first undated run, or where a backfill began. Null before.',
      ],
      until: ['date', 'Last day that is expected to be loaded, of an account gone from the settings.'],
      complete_through: [
        'date',
        'Last day up to which every day from since on was loaded when the last run ended; null where the first was not. warehouse.freshness reads on from there.',
      ],
      clients_walked_at: ['timestamptz', 'When its client list was last walked completely.'],
      client_account_id: [
        'integer references warehouse.accounts',
        'Account whose client list has this account, where the settings say so.',
      ],
      client_id: ['bigint', 'Client of that list which this account is, where the settings say so.'],
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
