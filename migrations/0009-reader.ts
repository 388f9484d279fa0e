import { type Kysely, sql } from 'kysely';

/**
 * The role of BI tools: it reads `warehouse`, and has no right on `etl`. If the migrating role may not make it, `migrate`
 * prints the SQL for one that may.
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
    end
    $$;
  `.execute(db);
}
