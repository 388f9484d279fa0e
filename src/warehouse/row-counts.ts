import sql, { raw } from 'sql-template-tag';
import type { Queries } from './warehouse.ts';

/** How many rows each table of the job has, in the order of their names. */
export async function countRows(warehouse: Queries): Promise<{ table: string; rows: number }[]> {
  const { rows: tables } = await warehouse.query<{ schema: string; name: string }>(sql`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_schema in ('warehouse', 'etl') and table_type = 'BASE TABLE' and table_name not like 'migrations%'
    order by table_schema desc, table_name
  `);
  const counted = [];
  for (const { schema, name } of tables) {
    const table = `${schema}.${name}`;
    const { rows } = await warehouse.query<{ rows: number }>(sql`select count(*) as rows from ${raw(table)}`);
    counted.push({ table, rows: rows[0]!.rows });
  }
  return counted;
}
