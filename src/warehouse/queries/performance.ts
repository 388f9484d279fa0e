import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Queries } from '../db/database.ts';

/** An account's day and what is typical for it. */
export type PerformedDay = {
  readonly account: string;
  readonly day: Day;
  readonly attempts: string | null;
  readonly typicalAttempts: string | null;
  readonly attemptsChange: string | null;
};

/** Reads the attempts of every account that hasn't retired, beside those of a typical weekday, by account and day. */
export async function readPerformance(queries: Queries, since: Day): Promise<PerformedDay[]> {
  const { rows } = await sql<PerformedDay>`
    select a.name as account, p.*
    from warehouse.accounts a
    cross join lateral (
      select day, attempts, typical_attempts as "typicalAttempts", attempts_change as "attemptsChange"
      from warehouse.account_performance
      where account_id = a.account_id and day >= ${since}
      offset 0) p
    where a.until is null
    order by a.name, p.day
  `.execute(queries);
  return rows;
}
