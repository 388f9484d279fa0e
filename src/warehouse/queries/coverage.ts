import type { Day } from '../../model/day.ts';
import type { Queries } from '../db/database.ts';

/** What an account's day holds. The sums are null where nothing of it was ever loaded. */
export type CoveredDay = Awaited<ReturnType<typeof readCoverage>>[number];

/** The days of every account that hasn't retired, from `since` to its yesterday, in the order of account and day. */
export async function readCoverage(queries: Queries, since: Day) {
  return await coveredDays(queries)
    .where('a.until', 'is', null)
    .where('c.day', '>=', since)
    .orderBy('c.account')
    .orderBy('c.day')
    .execute();
}

/** One day of one account; null where that day isn't expected, or the account isn't known. */
export async function readCoveredDay(
  queries: Queries,
  account: string,
  day: Day,
): Promise<CoveredDay | null> {
  const covered = await coveredDays(queries)
    .where('c.account', '=', account)
    .where('c.day', '=', day)
    .executeTakeFirst();
  return covered ?? null;
}

function coveredDays(queries: Queries) {
  return queries
    .selectFrom('warehouse.coverage as c')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'c.account_id')
    .leftJoin('warehouse.account_days as d', (join) =>
      join.onRef('d.account_id', '=', 'c.account_id').onRef('d.day', '=', 'c.day'),
    )
    .select([
      'c.account_id as accountId',
      'c.account',
      'a.label',
      'c.day',
      'c.state',
      'c.held',
      'c.suspicious',
      'c.settling',
      'c.restated',
      'c.loaded_at as loadedAt',
      'c.failure',
      'd.campaigns',
      'd.attempts',
      'd.connects',
      'd.live_answers as liveAnswers',
      'd.busies',
    ]);
}
