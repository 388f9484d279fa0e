import { type RawBuilder, sql } from 'kysely';

/** The timestamp that rows get. */
export type Timestamp = RawBuilder<string>;

/** The transaction's own: for what is loaded now. */
export const transactionTime: Timestamp = sql<string>`now()`;

/** When it was decided at first: for what is rebuilt from the archive. */
export function recordedTime(timestamp: string): Timestamp {
  return sql<string>`${timestamp}::timestamptz`;
}
