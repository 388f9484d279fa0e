import { ask, transact } from './ask.ts';
import { createPool } from './pool.ts';
import { createSockets } from './sockets.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * Opens the warehouse; connections are made when they are needed. End it with `destroy()`.
 *
 * @param url         `postgres://…`
 * @param connections the most that are open at once
 * @param sockets     what they are made of
 */
export function openWarehouse(url: string, connections: number, sockets = createSockets()): Warehouse {
  const pool = createPool(url, connections, sockets);
  return {
    query: (statement) => ask(pool, statement),
    transact: (begin, work) => transact(pool, begin, work),
    destroy: () => pool.end(),
  };
}
