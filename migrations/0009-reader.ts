import { type Kysely, sql } from 'kysely';

/**
 * The role of BI tools: it reads the warehouse and nothing else. What the migrating role may not do, `migrate` prints as
 * SQL for one that may.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A role belongs to the cluster: another database may have made it, or be making it now, and this one may lack the right.
  await sql`
    do $$
    begin
      create role callsheet_reader nologin;
    exception
      when duplicate_object or unique_violation or insufficient_privilege then null;
    end
    $$;

    do $$
    begin
      if exists (select from pg_roles where rolname = 'callsheet_reader') then
        grant usage on schema warehouse to callsheet_reader;
        grant select on all tables in schema warehouse to callsheet_reader;
        alter default privileges in schema warehouse grant select on tables to callsheet_reader;
      end if;
      -- Who doesn't own the database would only get a warning, which nobody reads.
      if exists (select from pg_database where datname = current_database() and pg_has_role(datdba, 'usage')) then
        execute format('revoke temporary on database %I from public', current_database());
      end if;
      -- Large objects belong to no schema: every role may create them, and fill the disk.
      if (select rolsuper from pg_roles where rolname = current_user) then
        revoke execute on function pg_catalog.lo_creat(integer), pg_catalog.lo_create(oid), pg_catalog.lo_from_bytea(oid, bytea) from public;
      end if;
    end
    $$;
  `.execute(db);
}
