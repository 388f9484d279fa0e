import pg from 'pg';

/** How long connecting may take, from the first packet until the server accepts the user. */
export const connectTimeoutMs = 10_000;

/** SQLSTATEs of what Postgres ended in favour of another transaction: repeated, it succeeds. */
const conflicts: ReadonlySet<unknown> = new Set(['40001', '40P01']);

const maxAttempts = 5;

const begins = /^\s*(begin|start\s+transaction)\b/i;

/** What of pg's client its types don't show: `I` outside of a transaction, null before the first reply. */
type TransactionStatus = { getTransactionStatus(): 'I' | 'T' | 'E' | null };

/**
 * A connection of a pool. It bounds connecting by itself, and repeats a statement outside of a transaction that
 * Postgres ended in favour of another: where a database or a role defaults to `serializable`, each such statement is a
 * serializable transaction of its own. Transactions of ours state their isolation level instead.
 */
export class PooledClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: connectTimeoutMs });
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg has a dozen signatures, and each is handed on unchanged
  override query(...given: any[]): any {
    const send = () => Reflect.apply(super.query, this, given);
    const { getTransactionStatus } = this as unknown as TransactionStatus;
    // A text of several statements may begin a transaction, and fail inside.
    const isAlone = getTransactionStatus.call(this) === 'I' && !begins.test(String(given[0]));
    const sent = send();
    return isAlone && sent instanceof Promise ? repeated(sent, send) : sent;
  }
}

async function repeated(first: Promise<unknown>, send: () => Promise<unknown>): Promise<unknown> {
  let sent = first;
  for (let attempt = 1; ; attempt++) {
    try {
      return await sent;
    } catch (error) {
      const isConflict = conflicts.has((error as { code?: unknown }).code);
      if (!isConflict || attempt === maxAttempts) throw error;
      sent = send();
    }
  }
}
