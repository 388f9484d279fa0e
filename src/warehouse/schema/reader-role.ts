import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

type Rights = {
  /** The database and the current role, quoted for SQL. */
  readonly database: string;
  readonly role: string;
  /** Whether `callsheet_reader` exists, reads all of the warehouse, and may make temporary tables or large objects. */
  readonly exists: boolean;
  readonly reads: boolean;
  readonly temporary: boolean;
  readonly largeObjects: boolean;
};

/** What makes large objects, which belong to no schema: without them, nobody has one to write to. */
const largeObjectFunctions = [
  'pg_catalog.lo_creat(integer)',
  'pg_catalog.lo_create(oid)',
  'pg_catalog.lo_from_bytea(oid, bytea)',
];

/**
 * The SQL that `callsheet_reader` lacks to read the warehouse and nothing else: a migration makes the role, and what the
 * migrating role may not do, one that may has to run.
 */
export async function missingReaderSql(queries: Queries): Promise<string[]> {
  const { database, role, exists, reads, temporary, largeObjects } = await readRights(queries);
  const statements: string[] = [];
  if (!exists) statements.push('create role callsheet_reader nologin;');
  if (!reads)
    statements.push(
      'grant usage on schema warehouse to callsheet_reader;',
      'grant select on all tables in schema warehouse to callsheet_reader;',
      `alter default privileges for role ${role} in schema warehouse grant select on tables to callsheet_reader;`,
    );
  if (temporary) statements.push(`revoke temporary on database ${database} from public;`);
  if (largeObjects)
    statements.push(`revoke execute on function ${largeObjectFunctions.join(', ')} from public;`);
  return statements;
}

async function readRights(queries: Queries): Promise<Rights> {
  const { rows } = await sql<Rights>`
    select quote_ident(current_database()) as database, quote_ident(current_user) as role,
      r.oid is not null as exists,
      r.oid is not null and has_schema_privilege(r.oid, 'warehouse', 'usage') and not exists (
        select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'warehouse' and c.relkind in ('r', 'v', 'p') and not has_table_privilege(r.oid, c.oid, 'select')
      ) as reads,
      has_database_privilege(coalesce(r.oid, 0), current_database(), 'temporary') as temporary,
      exists (
        select from unnest(${largeObjectFunctions}::text[]) f
        where has_function_privilege(coalesce(r.oid, 0), f, 'execute')
      ) as "largeObjects"
    from (select to_regrole('callsheet_reader')::oid as oid) r
  `.execute(queries);
  return rows[0]!;
}
