import pg from 'pg';
import { connectionOptions, replyTimeoutMs } from './connection.ts';
import type { Sockets } from './sockets.ts';

/**
 * Connections that are made when they are needed.
 *
 * @param url         `postgres://…`
 * @param connections the most that are open at once
 * @param sockets     what they are made of
 */
export function createPool(url: string, connections: number, sockets: Sockets): pg.Pool {
  return openPool({
    ...connectionOptions(url),
    max: connections,
    stream: sockets.open,
    onConnect: expectReply,
  });
}

/** A pool that outlives its connections. */
export function openPool(options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(options);
  // A connection that dies also fails the query that used it; without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** A pooler accepts clients for whom it has no connection or no database: a reply shows that there is one. */
async function expectReply(client: pg.ClientBase): Promise<void> {
  const query = { text: 'select 1', query_timeout: replyTimeoutMs };
  await client.query(query);
}
