import sql from 'sql-template-tag';
import type { Transaction, Warehouse } from './warehouse.ts';

/** SQLSTATEs of a transaction that Postgres ended in favour of another: done again, it goes through. */
const outrun: ReadonlySet<unknown> = new Set(['40001', '40P01']);

const mostTries = 5;

/**
 * Does `work` in a transaction that nobody can hold up for ever: a lock that doesn't come, or a statement that doesn't
 * end, is a failure that the next run heals. Set inside, for PgBouncer takes no such settings at the start; where the
 * operator has set bounds, theirs hold. Where two have waited for each other in a circle, `work` is done again: it may
 * have no effects but those in the transaction.
 */
export async function inTransaction<T>(
  warehouse: Warehouse,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await warehouse.transact(sql`begin`, async (transaction) => {
        await transaction.query(sql`
          select set_config(name, bound, true)
          from (values ('lock_timeout', '30s'), ('statement_timeout', '5min')) as b (name, bound)
          where current_setting(name) = '0'
        `);
        return await work(transaction);
      });
    } catch (error) {
      if (tries === mostTries || !outrun.has((error as { code?: unknown }).code)) throw error;
    }
  }
}

/**
 * Does `work` on one state of the warehouse, which it can't change: whatever is loaded meanwhile, all that it reads
 * fits together.
 *
 * @param longest what a query may take at most, as Postgres writes it: `5s`
 */
export async function inSnapshot<T>(
  warehouse: Warehouse,
  longest: string,
  work: (snapshot: Transaction) => Promise<T>,
): Promise<T> {
  return await warehouse.transact(sql`begin isolation level repeatable read read only`, async (snapshot) => {
    await snapshot.query(sql`select set_config('statement_timeout', ${longest}, true)`);
    return await work(snapshot);
  });
}
