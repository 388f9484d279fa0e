import { sql } from 'kysely';
import { Failure } from '../../model/errors.ts';
import type { Queries } from './database.ts';

/**
 * Returns why the database can be read and refuses writes: it is a standby, or read-only by a setting; null if it isn't. A full
 * disk shows in a write alone.
 */
export async function writeRefusal(queries: Queries): Promise<Failure | null> {
  const { rows } = await sql<{ isStandby: boolean; isReadOnly: boolean }>`
    select pg_is_in_recovery() as "isStandby", current_setting('default_transaction_read_only') = 'on' as "isReadOnly"
  `.execute(queries);
  const { isStandby, isReadOnly } = rows[0]!;
  if (!isStandby && !isReadOnly) return null;
  const why = isStandby ? 'it is a standby' : 'default_transaction_read_only is on';
  return new Failure('DATABASE_READ_ONLY', `the database is read-only: ${why}`);
}

/** Throws a Failure if the database can be read and refuses writes. */
export async function requireWritable(queries: Queries): Promise<void> {
  const refusal = await writeRefusal(queries);
  if (refusal !== null) throw refusal;
}
