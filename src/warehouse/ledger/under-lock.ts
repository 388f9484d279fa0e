import { sql } from 'kysely';
import { replyTimeoutMs } from '../db/connection.ts';
import type { Queries } from '../db/database.ts';
import type { Sockets } from '../db/sockets.ts';
import { noneBesideLock } from '../failures.ts';
import type { RunLock } from './run-lock.ts';

/**
 * Binds the connections of the work to the lock: with the lock they end, whatever they wait for, and beside the lock
 * there is at least one.
 */
export async function bindToLock(lock: RunLock, warehouse: Queries, sockets: Sockets): Promise<void> {
  lock.lost.addEventListener('abort', () => sockets.cut(lock.lost.reason), { once: true });
  const impatient = setTimeout(() => sockets.cut(noneBesideLock()), replyTimeoutMs);
  try {
    await sql`select 1`.execute(warehouse);
  } catch (error) {
    await lock.release();
    throw error;
  } finally {
    clearTimeout(impatient);
  }
}
