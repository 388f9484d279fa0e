import { openWarehouse as open } from './db/database.ts';
import { withLegacy } from './legacy.ts';
import { createSockets } from './sockets.ts';
import type { Warehouse } from './warehouse.ts';

export function openWarehouse(url: string, connections: number, sockets = createSockets()): Warehouse {
  return withLegacy(open(url, connections, sockets));
}
