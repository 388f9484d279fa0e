import { type ControlledTransactionBuilder, sql } from 'kysely';
import { markOwnBound } from '../failures.ts';
import type { Queries, Transaction, Warehouse } from './database.ts';
import type { Tables } from './tables.ts';

/** SQLSTATEs of a transaction that Postgres ended in favour of another: it succeeds if repeated. */
const retryable: ReadonlySet<unknown> = new Set(['40001', '40P01']);

const maxAttempts = 5;

/**
 * Runs `work` in a transaction that can't hang: a lock that isn't granted, or a statement that doesn't end,
 * is an error that the next run heals. The timeouts are set inside, because PgBouncer doesn't accept them at
 * the start; an operator's own timeouts take precedence. After a deadlock `work` is repeated, so all its
 * effects must be in the transaction.
 */
export async function inTransaction<T>(
  warehouse: Warehouse,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    let own: readonly Bound[] = [];
    try {
      const begin = warehouse.startTransaction().setIsolationLevel('read committed');
      return await transact(begin, async (transaction) => {
        const { rows } = await sql<Bound>`
          select name, set_config(name, bound, true) as bound
          from (values ('lock_timeout', '30s'), ('statement_timeout', '5min')) as b (name, bound)
          where current_setting(name) = '0'
        `.execute(transaction);
        own = rows;
        return await work(transaction);
      });
    } catch (error) {
      markIfOwn(error, own);
      if (attempt === maxAttempts || !retryable.has((error as { code?: unknown }).code)) throw error;
    }
  }
}

/**
 * Runs `work` on one state of the warehouse, which it can't change: its reads are consistent, whatever is
 * loaded meanwhile.
 *
 * @param timeout maximum time of a query, in Postgres syntax: `5s`
 */
export async function inSnapshot<T>(
  warehouse: Warehouse,
  timeout: string,
  work: (snapshot: Transaction) => Promise<T>,
): Promise<T> {
  const begin = warehouse.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  try {
    return await transact(begin, async (snapshot) => {
      await sql`select set_config('statement_timeout', ${timeout}, true)`.execute(snapshot);
      return await work(snapshot);
    });
  } catch (error) {
    markIfOwn(error, [{ name: 'statement_timeout', bound: timeout }]);
    throw error;
  }
}

/** Reads a part of a snapshot; null if one of its statements took too long, after which the other parts can still be read. */
export async function unlessTooSlow<T>(snapshot: Queries, read: () => Promise<T>): Promise<T | null> {
  await sql`savepoint part`.execute(snapshot);
  try {
    return await read();
  } catch (error) {
    if (!isOf('statement_timeout', error)) throw error;
    await sql`rollback to savepoint part`.execute(snapshot);
    return null;
  }
}

/** A timeout that Callsheet set, in Postgres syntax. */
type Bound = { readonly name: keyof typeof sqlStates; readonly bound: string };

const sqlStates = { statement_timeout: '57014', lock_timeout: '55P03' } as const;

/** Somebody's pg_cancel_backend has the SQLSTATE of a timeout. */
const isOf = (name: keyof typeof sqlStates, error: unknown): error is Error =>
  error instanceof Error &&
  (error as { code?: unknown }).code === sqlStates[name] &&
  !error.message.includes('user request');

function markIfOwn(error: unknown, bounds: readonly Bound[]): void {
  const ended = bounds.find(({ name }) => isOf(name, error));
  if (ended !== undefined) markOwnBound(error as Error, ended.bound);
}

/** Unlike Kysely's `transaction().execute()`, this keeps the original error if the rollback fails, too. */
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
    // On a dead connection the rollback fails; Kysely discards the connection then.
    await transaction
      .rollback()
      .execute()
      .catch(() => {});
    throw error;
  }
}
