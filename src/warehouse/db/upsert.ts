import { type RawBuilder, sql } from 'kysely';

/** Of an upsert: whether the row that comes differs in any of these columns from the one that is there. */
export function differs(table: string, columns: readonly string[]): RawBuilder<boolean> {
  const of = (source: string) => sql.join(columns.map((column) => sql.ref(`${source}.${column}`)));
  return sql<boolean>`(${of(table)}) is distinct from (${of('excluded')})`;
}

/** Of an upsert: these columns become those of the row that comes. */
export function asExcluded<Column extends string>(
  columns: readonly Column[],
): { [Name in Column]: RawBuilder<never> } {
  const entries = columns.map((column) => [column, sql.ref(`excluded.${column}`)]);
  return Object.fromEntries(entries);
}
