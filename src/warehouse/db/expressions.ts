import { type RawBuilder, sql } from 'kysely';

/** One of the values: a single parameter, so that the statement is the same text however many they are. */
export function anyOf<Value>(values: readonly Value[]): RawBuilder<Value> {
  return sql`any(${values})`;
}

/** The timestamp so long before now; the interval as Postgres writes it: `7 days`. */
export function ago(interval: string): RawBuilder<string> {
  return sql`now() - ${sql.lit(interval)}::interval`;
}
