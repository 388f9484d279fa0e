import { sql } from 'kysely';
import type { Transaction, Warehouse } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';

/**
 * Lets `callsheet_reader` read the warehouse and nothing else, as far as this role may, and gives the SQL that remains
 * for one that may more. A role belongs to the cluster: another database may have made it, or be making it now.
 */
export async function grantReader(warehouse: Warehouse): Promise<string[]> {
  return await inTransaction(warehouse, async (transaction) => {
    // Two that grant at once would fail with "tuple concurrently updated".
    await sql`select pg_advisory_xact_lock(hashtext('callsheet_reader'))`.execute(transaction);
    await allowed(transaction, 'create role callsheet_reader nologin');
    await allowed(transaction, 'grant usage on schema warehouse to callsheet_reader');
    await allowed(transaction, 'grant select on all tables in schema warehouse to callsheet_reader');
    await allowed(
      transaction,
      'alter default privileges in schema warehouse grant select on tables to callsheet_reader',
    );
    const place = await readPlace(transaction);
    if (place.owned) await allowed(transaction, `revoke temporary on database ${place.database} from public`);
    return remaining(place, await readRights(transaction));
  });
}

/** Runs a statement; that it may not be run, or was run before, is no error. */
async function allowed(transaction: Transaction, statement: string): Promise<void> {
  await sql`
    do $$
    begin
      ${sql.raw(statement)};
    exception
      when insufficient_privilege or duplicate_object or unique_violation or undefined_object then null;
    end
    $$
  `.execute(transaction);
}

type Place = { readonly database: string; readonly role: string; readonly owned: boolean };

/** Where we are, quoted for SQL; who doesn't own a database gets a mere warning for revoking, which nobody would read. */
async function readPlace(transaction: Transaction): Promise<Place> {
  const { rows } = await sql<Place>`
    select quote_ident(datname) as database, quote_ident(current_user) as role, pg_has_role(datdba, 'usage') as owned
    from pg_database where datname = current_database()
  `.execute(transaction);
  return rows[0]!;
}

type Rights = { readonly exists: boolean; readonly reads: boolean; readonly temporary: boolean };

function remaining({ database, role }: Place, { exists, reads, temporary }: Rights): string[] {
  return [
    ...(exists ? [] : ['create role callsheet_reader nologin;']),
    ...(reads
      ? []
      : [
          'grant usage on schema warehouse to callsheet_reader;',
          'grant select on all tables in schema warehouse to callsheet_reader;',
          `alter default privileges for role ${role} in schema warehouse grant select on tables to callsheet_reader;`,
        ]),
    ...(temporary ? [`revoke temporary on database ${database} from public;`] : []),
  ];
}

async function readRights(transaction: Transaction): Promise<Rights> {
  const { rows } = await sql<Rights>`
    select r.oid is not null as exists,
      r.oid is not null and has_schema_privilege(r.oid, 'warehouse', 'usage') and not exists (
        select from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'warehouse' and c.relkind in ('r', 'v', 'p') and not has_table_privilege(r.oid, c.oid, 'select')
      ) as reads,
      has_database_privilege(coalesce(r.oid, 0), current_database(), 'temporary') as temporary
    from (select to_regrole('callsheet_reader')::oid as oid) r
  `.execute(transaction);
  return rows[0]!;
}
