import type { Sql } from 'sql-template-tag';

/** What the database answers to a statement: its rows, and how many it read or wrote. */
export type Answer<Row> = { readonly rows: Row[]; readonly rowCount: number };

/**
 * What takes statements: the open warehouse, or a transaction in it. Days and instants come as text, as Postgres writes
 * them: a Date would move days across zones and cut microseconds off instants.
 */
export type Queries = {
  query<Row = unknown>(statement: Sql): Promise<Answer<Row>>;
};

/** Statements that stand or fall together. */
export type Transaction = Queries & {
  /** The rows of a statement from a cursor, `atOnce` with each round trip: however many they are, few are in memory. */
  stream<Row>(statement: Sql, atOnce: number): AsyncGenerator<Row, void>;
};

/** The open warehouse. */
export type Warehouse = Queries & {
  /** Does `work` on a connection of its own, from `begin` to the commit; or rolls it back and tells why. */
  transact<T>(begin: Sql, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  destroy(): Promise<void>;
};
