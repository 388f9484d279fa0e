import { type Kysely, sql } from 'kysely';

/**
 * Creates the role of BI tools, which reads `warehouse` and has no right on `etl`. If the migrating role may
 * not create it, `migrate` prints the SQL for one that may.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // A role belongs to the cluster: a migration of another database may have created it, or be creating it
  // now. The migrating role may also lack the right.
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
    end
    $$;

    do $$
    begin
      execute format('alter role callsheet_reader in database %I set search_path = warehouse', current_database());
    exception
      when undefined_object or insufficient_privilege then null;
    end
    $$;
  `.execute(db);
}
