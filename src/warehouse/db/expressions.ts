import { type RawBuilder, sql } from 'kysely';

/** One of the values: a single parameter, so that the statement is the same text however many they are. */
export function anyOf<Value>(values: readonly Value[]): RawBuilder<Value> {
  return sql`any(${values})`;
}

/** None of the values. */
export function noneOf<Value>(values: readonly Value[]): RawBuilder<Value> {
  return sql`all(${values})`;
}

/** Of a table from a list: the Postgres type of a column, and its value of an item; JSON as text. */
type Column<Item> = readonly [type: string, getValue: (item: Item) => unknown];

/** A list as a table to select from: a parameter for each column, however many the items are. */
export function tableOf<
  Item,
  Alias extends string,
  const Columns extends Readonly<Record<string, Column<Item>>>,
>(items: readonly Item[], alias: Alias, columns: Columns) {
  type Row = { [Name in keyof Columns]: ReturnType<Columns[Name][1]> };
  const lists = Object.values(columns).map(
    ([type, getValue]) => sql`${items.map(getValue)}::${sql.raw(type)}[]`,
  );
  const names = Object.keys(columns).map((name) => sql.ref(name));
  return sql<Row>`unnest(${sql.join(lists)})`.as<Alias>(sql`${sql.ref(alias)} (${sql.join(names)})`);
}

/** The timestamp so long before now; the interval as Postgres writes it: `7 days`. */
export function ago(interval: string): RawBuilder<string> {
  return sql`now() - ${sql.lit(interval)}::interval`;
}

/** The timestamp that rows get. */
export type Timestamp = RawBuilder<string>;

/** The transaction's own: for what is loaded now. */
export const transactionTime: Timestamp = sql<string>`now()`;

/** The clock when the statement runs. */
export const clockTime: Timestamp = sql<string>`clock_timestamp()`;

/** When it was decided at first: for what is rebuilt from the archive. */
export function recordedTime(timestamp: string): Timestamp {
  return sql<string>`${timestamp}::timestamptz`;
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
