import { type RawBuilder, sql } from 'kysely';

/** One of the values: a single parameter, so that the statement is the same text however many they are. */
export function anyOf<Value>(values: readonly Value[]): RawBuilder<Value> {
  return sql`any(${values})`;
}

/** The timestamp so long before now; the interval as Postgres writes it: `7 days`. */
export function ago(interval: string): RawBuilder<string> {
  return sql`now() - ${sql.lit(interval)}::interval`;
}

/** Of an upsert: whether the excluded row differs from the current one in any of these columns. */
export function differs(table: string, columns: readonly string[]): RawBuilder<boolean> {
  const of = (source: string) => sql.join(columns.map((column) => sql.ref(`${source}.${column}`)));
  return sql<boolean>`(${of(table)}) is distinct from (${of('excluded')})`;
}

/** Of an upsert: these columns become those of the excluded row. */
export function asExcluded<Column extends string>(
  columns: readonly Column[],
): { [Name in Column]: RawBuilder<never> } {
  const entries = columns.map((column) => [column, sql.ref(`excluded.${column}`)]);
  return Object.fromEntries(entries);
}
