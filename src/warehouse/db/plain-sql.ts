import pg from 'pg';
import { type DatabaseAddress, openPool, queryTimeoutMs } from './connection.ts';

/** Runs the statements of a library with its own tables, unchanged. */
export type PlainSql = {
  // biome-ignore lint/suspicious/noExplicitAny: only whoever wrote the statement knows its rows
  executeSql(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
  end(): Promise<void>;
};

/** Opens a pool with pg's own parsers; `timeoutMs` is the maximum time of a query, 0 for none. */
export function openPlainSql(
  address: DatabaseAddress,
  connections: number,
  timeoutMs = queryTimeoutMs,
): PlainSql {
  const pool = openPool(address, { types: pg.types, max: connections, query_timeout: timeoutMs });
  return {
    // The pool closes a connection on which a statement failed: the text may have begun a transaction.
    executeSql: (text, values) => pool.query(text, values),
    end: () => pool.end(),
  };
}
