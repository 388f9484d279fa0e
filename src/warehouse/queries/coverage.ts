import type { Day } from '../../model/day.ts';
import type { Queries } from '../db/database.ts';

/** An account's day, as the warehouse has it. The sums are null if nothing of it was ever loaded. */
export type CoveredDay = Awaited<ReturnType<typeof readCoverage>>[number];

/** Reads the days of every account that hasn't retired, from `since` to its yesterday, by account and day. */
export async function readCoverage(queries: Queries, since: Day) {
  return await queries
    .selectFrom('warehouse.coverage as c')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'c.account_id')
    .leftJoin('warehouse.account_days as d', (join) =>
      join.onRef('d.account_id', '=', 'c.account_id').onRef('d.day', '=', 'c.day'),
    )
    .select([
      'c.account',
      'c.day',
      'c.state',
      'c.held',
      'c.settling',
      'c.restated',
      'c.reason',
      'd.campaigns',
      'd.attempts',
    ])
    .where('a.until', 'is', null)
    .where('c.day', '>=', since)
    .orderBy('c.account')
    .orderBy('c.day')
    .execute();
}
