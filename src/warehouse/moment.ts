import sql, { type Sql } from 'sql-template-tag';

/** The instant that rows are stamped with. */
export type Moment = Sql;

/** The transaction's own: for what is loaded now. */
export const transactionTime: Moment = sql`now()`;

/** When it was decided at first: for what is rebuilt from the archive. */
export function recordedTime(instant: string): Moment {
  return sql`${instant}::timestamptz`;
}
