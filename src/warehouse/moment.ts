import { type RawBuilder, sql } from 'kysely';

/** The instant that rows are stamped with. */
export type Moment = RawBuilder<string>;

/** The transaction's own: for what is loaded now. */
export const transactionTime: Moment = sql`now()`;

/** When it was decided at first: for what is rebuilt from the archive. */
export function recordedTime(instant: string): Moment {
  return sql`${instant}::timestamptz`;
}
