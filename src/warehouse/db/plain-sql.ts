import { connectionOptions, openPool } from './connection.ts';
import type { Sockets } from './sockets.ts';
import { ownSearchPath } from './warehouse-client.ts';

/** For a library that brings tables and statements of its own: these run unchanged, but for our search path. */
export type PlainSql = {
  // biome-ignore lint/suspicious/noExplicitAny: only whoever wrote the statement knows its rows
  executeSql(text: string, values?: unknown[]): Promise<{ rows: any[] }>;
  end(): Promise<void>;
};

/** Opens a pool with pg's own parsers, on the sockets of the warehouse, so that it is cut with these. */
export function openPlainSql(url: string, connections: number, sockets: Sockets): PlainSql {
  const { types: _, ...options } = connectionOptions(url);
  const pool = openPool({ ...options, max: connections, stream: sockets.open });
  return {
    async executeSql(text, values) {
      const client = await pool.connect();
      try {
        const result = await client.query(text.replace(/^\s*begin\s*;/i, `$& ${ownSearchPath};`), values);
        client.release();
        return result;
      } catch (error) {
        // A text of several statements may have begun a transaction that nobody ends.
        client.release(true);
        throw error;
      }
    },
    end: () => pool.end(),
  };
}
