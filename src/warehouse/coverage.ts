import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { WindowState } from '../model/window.ts';
import type { Queries } from './warehouse.ts';

/** What an account's day holds. The sums are null where nothing of it was ever loaded. */
export type CoveredDay = {
  readonly account: string;
  readonly day: Day;
  readonly state: WindowState | 'missing';
  readonly held: boolean;
  readonly suspicious: boolean;
  readonly settling: boolean;
  readonly restated: boolean;
  readonly loadedAt: string | null;
  readonly failure: string | null;
  readonly campaigns: number | null;
  readonly attempts: number | null;
  readonly connects: number | null;
  readonly liveAnswers: number | null;
  readonly busies: number | null;
};

const columns = sql`
  c.account, c.day, c.state, c.held, c.suspicious, c.settling, c.restated,
  c.loaded_at as "loadedAt", c.failure, d.campaigns, d.attempts, d.connects, d.live_answers as "liveAnswers", d.busies
  from warehouse.coverage c
  join warehouse.accounts a using (account_id)
  left join warehouse.account_days d using (account_id, day)`;

/** The days of every account that hasn't retired, from `since` to its yesterday, in the order of account and day. */
export async function readCoverage(warehouse: Queries, since: Day): Promise<CoveredDay[]> {
  const { rows } = await warehouse.query<CoveredDay>(sql`
    select ${columns} where a.until is null and c.day >= ${since} order by c.account, c.day
  `);
  return rows;
}

/** One day of one account; null where that day isn't expected, or the account isn't known. */
export async function readCoveredDay(
  warehouse: Queries,
  account: string,
  day: Day,
): Promise<CoveredDay | null> {
  const { rows } = await warehouse.query<CoveredDay>(sql`
    select ${columns} where c.account = ${account} and c.day = ${day}
  `);
  return rows[0] ?? null;
}
