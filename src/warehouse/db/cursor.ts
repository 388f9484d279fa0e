import type pg from 'pg';
import PgCursor from 'pg-cursor';

/** Members of pg-cursor that its types don't show. */
type Internals = { readonly state: string; readonly connection: pg.Connection | null };

/**
 * A cursor that can be closed after its connection died: pg-cursor waits for a reply that never arrives. A
 * cursor that failed needs no closing: its statement has already ended.
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
