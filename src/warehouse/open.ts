import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { answerMs, connectionOptions } from './connection.ts';
import { createSockets } from './sockets.ts';
import type { Tables, Warehouse } from './tables.ts';

/**
 * Opens the warehouse; connections are made when they are needed. End it with `destroy()`.
 *
 * @param url         `postgres://…`
 * @param connections the most that are open at once
 * @param sockets     what they are made of
 */
export function openWarehouse(url: string, connections: number, sockets = createSockets()): Warehouse {
  const pool = new pg.Pool({
    ...connectionOptions(url),
    max: connections,
    stream: sockets.open,
    onConnect: expectAnswer,
  });
  // A connection that dies also fails the query that used it; without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool, cursor: Cursor }) });
}

/** A pooler lets in those, too, for whom it has no connection or no database: an answer shows that there is one. */
async function expectAnswer(client: pg.ClientBase): Promise<void> {
  const question = { text: 'select 1', query_timeout: answerMs };
  await client.query(question);
}
