import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import Cursor from 'pg-cursor';
import { connectionOptions } from './connection.ts';
import type { Tables, Warehouse } from './tables.ts';

/**
 * Opens the warehouse; connections are made when they are needed. End it with `destroy()`.
 *
 * @param url         `postgres://…`
 * @param connections the most that are open at once
 */
export function openWarehouse(url: string, connections: number): Warehouse {
  const pool = new pg.Pool({ ...connectionOptions(url), max: connections });
  // A connection that dies also fails the query that used it; without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool, cursor: Cursor }) });
}
