import type { Day } from '../../model/day.ts';
import type { Queries } from '../db/database.ts';

/** An account's day and what is typical for it. */
export type PerformedDay = Awaited<ReturnType<typeof readPerformance>>[number];

/** Reads the attempts of every account that hasn't retired, beside those of a typical weekday, by account and day. */
export async function readPerformance(queries: Queries, since: Day) {
  return await queries
    .selectFrom('warehouse.account_performance as p')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'p.account_id')
    .select([
      'p.account',
      'p.day',
      'p.attempts',
      'p.typical_attempts as typicalAttempts',
      'p.attempts_change as attemptsChange',
    ])
    .where('a.until', 'is', null)
    .where('p.day', '>=', since)
    .orderBy('p.account')
    .orderBy('p.day')
    .execute();
}
