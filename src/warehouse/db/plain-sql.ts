import { connectionOptions, openPool } from './connection.ts';
import type { Sockets } from './sockets.ts';

/** For a library with its own tables and statements, which run unchanged. */
export type PlainSql = {
  // biome-ignore lint/suspicious/noExplicitAny: only whoever wrote the statement knows its rows
  executeSql(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
  end(): Promise<void>;
};

/** Opens a pool with pg's own parsers, on the sockets of the warehouse: both are cut together. */
export function openPlainSql(url: string, connections: number, sockets: Sockets): PlainSql {
  const { types: _, ...options } = connectionOptions(url);
  const pool = openPool({ ...options, max: connections, stream: sockets.open });
  return {
    // The pool closes a connection on which a statement failed: the text may have begun a transaction.
    executeSql: (text, values) => pool.query(text, values),
    end: () => pool.end(),
  };
}
