import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';

/** How many rows each table of the job has, in the order of their names. */
export async function countRows(queries: Queries): Promise<{ table: string; rows: number }[]> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema in ('warehouse', 'etl') and table_type = 'BASE TABLE' and table_name not like 'migrations%'
    order by table_schema desc, table_name
  `.execute(queries);
  const counted = [];
  for (const { schema, name } of tables) {
    const count = sql<{ rows: number }>`select count(*) as rows from ${sql.id(schema, name)}`;
    const { rows } = await count.execute(queries);
    counted.push({ table: `${schema}.${name}`, rows: rows[0]!.rows });
  }
  return counted;
}
