import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/**
 * Returns the SQL that `callsheet_reader` still needs to read the warehouse: a migration creates the role, if
 * the migrating role may do that.
 */
export async function missingReaderSql(queries: Queries): Promise<string[]> {
  const { rows } = await sql<{
    role: string;
    database: string;
    exists: boolean;
    canRead: boolean;
    hasSearchPath: boolean;
    usesJit: boolean;
  }>`
    select quote_ident(current_user) as role, quote_ident(current_database()) as database, r.oid is not null as exists,
      r.oid is not null and has_schema_privilege(r.oid, 'warehouse', 'usage') and not exists (
        select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'warehouse' and c.relkind in ('r', 'v', 'p') and not has_table_privilege(r.oid, c.oid, 'select')
      ) as "canRead",
      coalesce('search_path=warehouse' = any(s.setconfig), false) as "hasSearchPath",
      coalesce('jit=off' <> all(s.setconfig), true) as "usesJit"
    from (select to_regrole('callsheet_reader')::oid as oid) r
    left join pg_db_role_setting s
      on s.setrole = r.oid and s.setdatabase = (select oid from pg_database where datname = current_database())
  `.execute(queries);
  const { role, database, exists, canRead, hasSearchPath, usesJit } = rows[0]!;
  const statements: string[] = [];
  if (!exists) statements.push('create role callsheet_reader nologin;');
  if (!canRead)
    statements.push(
      'grant usage on schema warehouse to callsheet_reader;',
      'grant select on all tables in schema warehouse to callsheet_reader;',
      `alter default privileges for role ${role} in schema warehouse grant select on tables to callsheet_reader;`,
    );
  const inDatabase = `alter role callsheet_reader in database ${database}`;
  if (!hasSearchPath) statements.push(`${inDatabase} set search_path = warehouse;`);
  if (usesJit) statements.push(`${inDatabase} set jit = off;`);
  return statements;
}
