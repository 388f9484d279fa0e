import { type RawBuilder, sql } from 'kysely';
import type { Extra } from '../../model/records.ts';

/** Matches any of the values. They are one parameter, so the SQL text doesn't depend on their number. */
export function anyOf<Value>(values: readonly Value[]): RawBuilder<Value> {
  return sql`any(${values})`;
}

/** Matches none of the values, after `<>`. */
export function noneOf<Value>(values: readonly Value[]): RawBuilder<Value> {
  return sql`all(${values})`;
}

/** A column for `tableOf`: its Postgres type, and its value for an item. JSON is text. */
type Column<Item> = readonly [type: string, getValue: (item: Item) => unknown];

/** Returns a list as a table to select from, with one parameter per column, however many items there are. */
export function tableOf<
  Item,
  Alias extends string,
  const Columns extends Readonly<Record<string, Column<Item>>>,
>(items: readonly Item[], alias: Alias, columns: Columns) {
  type Row = { [Name in keyof Columns]: ReturnType<Columns[Name][1]> };
  const lists = Object.values(columns).map(
    ([type, getValue]) => sql`${listOf(type, items, getValue)}::${sql.raw(type)}[]`,
  );
  const names = Object.keys(columns).map((name) => sql.ref(name));
  return sql<Row>`unnest(${sql.join(lists)})`.as<Alias>(sql`${sql.ref(alias)} (${sql.join(names)})`);
}

const numberTypes = ['bigint', 'integer', 'numeric'];

/** Returns an array's parameter. pg would quote and escape each number, which takes four times as long. */
function listOf<Item>(type: string, items: readonly Item[], getValue: (item: Item) => unknown): unknown {
  if (!numberTypes.includes(type)) return items.map(getValue);
  return `{${items.map((item) => getValue(item) ?? 'NULL').join()}}`;
}

/** Further fields for a column of `tableOf`: null if there are none, as in most records. */
export function extraOrNull(extra: Extra): string | null {
  for (const _ in extra) return JSON.stringify(extra);
  return null;
}

/** Further fields from `extraOrNull`, as the tables have them. */
export function storedExtra(table: string): RawBuilder<string> {
  return sql<string>`coalesce(${sql.ref(`${table}.extra`)}, '{}')`;
}

/** Returns the timestamp an interval before now; the interval is in Postgres syntax: `7 days`. */
export function ago(interval: string): RawBuilder<string> {
  return sql`now() - ${sql.lit(interval)}::interval`;
}

/** Start of the transaction: for rows that are loaded now. */
export const transactionTime = sql<string>`now()`;

/** The clock when the statement runs. */
export const clockTime = sql<string>`clock_timestamp()`;

/** In an upsert: the excluded row differs from the current one in one of these columns. */
export function differs(table: string, columns: readonly string[]): RawBuilder<boolean> {
  const of = (source: string) => sql.join(columns.map((column) => sql.ref(`${source}.${column}`)));
  return sql<boolean>`(${of(table)}) is distinct from (${of('excluded')})`;
}

/** In an upsert: sets these columns to those of the excluded row. */
export function asExcluded<Column extends string>(
  columns: readonly Column[],
): { [Name in Column]: RawBuilder<never> } {
  const entries = columns.map((column) => [column, sql.ref(`excluded.${column}`)]);
  return Object.fromEntries(entries);
}

/** Sums a column over rows that have a day: known only if each of them has it, because a row that doesn't report it isn't 0. */
export const knownSum = (column: string, rows = 'w'): RawBuilder<unknown> => {
  const each = sql.ref(`${rows}.${column}`);
  return sql`case when count(${each}) = count(${sql.ref(rows)}.day) then sum(${each})::text end`;
};

/** Returns a list as a table to select from, each item with its place in it; the columns and their types follow in the statement. */
export const recordset = (items: readonly object[]): RawBuilder<unknown> =>
  sql`jsonb_to_recordset(${JSON.stringify(items.map((item, place) => ({ ...item, place })))}::jsonb)`;
