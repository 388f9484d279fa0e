import sql from 'sql-template-tag';
import type { Transaction } from './warehouse.ts';

/**
 * Lets one transaction after the other write the clients, or the campaigns, of an account; held until its end. A
 * statement of its own, so that the next one sees what the last holder committed: what it doesn't see isn't there, and
 * is inserted without the detour of `on conflict`, which takes twice as long.
 */
export async function lockOfAccount(
  transaction: Transaction,
  what: 'clients' | 'campaigns',
  accountId: number,
): Promise<void> {
  await transaction.query(sql`select pg_advisory_xact_lock(hashtext(${`callsheet: ${what}`}), ${accountId})`);
}
