import { sql, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * Lets one transaction after the other write the clients, or the campaigns, of an account; held until its end. A
 * statement of its own, so that the next one sees what the last holder committed: what it doesn't see isn't there, and
 * is inserted without the detour of `on conflict`, which takes twice as long.
 */
export async function lockOfAccount(
  transaction: Transaction<Tables>,
  what: 'clients' | 'campaigns',
  accountId: number,
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${`callsheet: ${what}`}), ${accountId})`.execute(
    transaction,
  );
}
