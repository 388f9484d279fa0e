import type pg from 'pg';
import PgCursor from 'pg-cursor';

/** What of pg-cursor its types don't show. */
type Internals = { readonly state: string; readonly connection: pg.Connection | null };

/**
 * A cursor that can be closed on a connection that died: pg-cursor waits there for a reply that never arrives. One
 * that failed has ended its statement already, and needs no closing.
 */
export class Cursor extends PgCursor {
  override close(): Promise<void>;
  override close(callback: (error: Error) => void): undefined;
  override close(): Promise<void> | undefined {
    return this.#close();
  }

  async #close(): Promise<void> {
    const { state, connection } = this as unknown as Internals;
    if (state === 'error') return;
    const { promise: died, reject } = Promise.withResolvers<never>();
    const onEnd = () => reject(new Error('Connection terminated unexpectedly'));
    connection?.once('end', onEnd);
    try {
      await Promise.race([super.close(), died]);
    } finally {
      connection?.off('end', onEnd);
    }
  }
}
