import pg from 'pg';
import { answerMs, connectionOptions } from './connection.ts';
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
    onConnect: expectAnswer,
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

/** A pooler lets in those, too, for whom it has no connection or no database: an answer shows that there is one. */
async function expectAnswer(client: pg.ClientBase): Promise<void> {
  const question = { text: 'select 1', query_timeout: answerMs };
  await client.query(question);
}
