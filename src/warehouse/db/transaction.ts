import { type ControlledTransactionBuilder, sql } from 'kysely';
import type { Transaction, Warehouse } from './database.ts';
import type { Tables } from './tables.ts';

/** SQLSTATEs of a transaction that Postgres ended in favour of another: repeated, it succeeds. */
const retryable: ReadonlySet<unknown> = new Set(['40001', '40P01']);

const maxAttempts = 5;

/**
 * Does `work` in a transaction that nobody can hold up for ever: a lock that isn't granted, or a statement that doesn't
 * end, is an error that the next run heals. Set inside, for PgBouncer takes no such settings at the start; where the
 * operator has set bounds, theirs hold. After a deadlock `work` is repeated: it may have no effects but those in the
 * transaction.
 */
export async function inTransaction<T>(
  warehouse: Warehouse,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const begin = warehouse.startTransaction().setIsolationLevel('read committed');
      return await transact(begin, async (transaction) => {
        await sql`
          select set_config(name, bound, true)
          from (values ('lock_timeout', '30s'), ('statement_timeout', '5min')) as b (name, bound)
          where current_setting(name) = '0'
        `.execute(transaction);
        return await work(transaction);
      });
    } catch (error) {
      if (attempt === maxAttempts || !retryable.has((error as { code?: unknown }).code)) throw error;
    }
  }
}

/**
 * Does `work` on one state of the warehouse, which it can't change: whatever others load, all that it reads fits
 * together.
 *
 * @param timeout what a query may take at most, as Postgres writes it: `5s`
 */
export async function inSnapshot<T>(
  warehouse: Warehouse,
  timeout: string,
  work: (snapshot: Transaction) => Promise<T>,
): Promise<T> {
  const begin = warehouse.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return await transact(begin, async (snapshot) => {
    await sql`select set_config('statement_timeout', ${timeout}, true)`.execute(snapshot);
    return await work(snapshot);
  });
}

/** Not Kysely's own `transaction().execute()`: where the rollback fails, too, that hides why. */
async function transact<T>(
  begin: ControlledTransactionBuilder<Tables>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const transaction = await begin.execute();
  try {
    const result = await work(transaction);
    await transaction.commit().execute();
    return result;
  } catch (error) {
    // On a connection that died the rollback can only fail; Kysely discards the connection then.
    await transaction
      .rollback()
      .execute()
      .catch(() => {});
    throw error;
  }
}
