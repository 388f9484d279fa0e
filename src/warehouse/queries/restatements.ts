import { sql } from 'kysely';
import type { Counts } from '../../model/records.ts';
import type { Restatement } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';
import type { WindowKey } from '../ledger/window-entry.ts';

/** A row of a day that was restated; the counts before and after, null where the campaign was not listed. */
export type RestatedRow = Restatement & {
  /** Its name now. */
  readonly campaign: string | null;
  readonly restatedAt: string;
  readonly before: Counts | null;
  readonly after: Counts | null;
  /** How many restatements the day has in all. */
  readonly restatements: number;
};

/** The newest restatements of a day, newest first. What a row was after one is what it was before the next, or is now. */
export async function readRestatements(
  queries: Queries,
  { accountId, day }: WindowKey,
  count: number,
): Promise<RestatedRow[]> {
  const { rows } = await sql<RestatedRow>`
    with states as (
      select callset_id, restated_at, reason, campaign, ${counts} as counts
      from warehouse.campaign_day_restatements where account_id = ${accountId} and day = ${day}
      union all
      select callset_id, 'infinity', null, campaign, ${counts}
      from warehouse.campaign_days where account_id = ${accountId} and day = ${day}
    ), changes as (
      select callset_id, restated_at, reason, counts,
        first_value(campaign) over (partition by callset_id order by restated_at desc) as campaign,
        lead(counts) over (partition by callset_id order by restated_at) as next
      from states)
    select callset_id as "callsetId", restated_at as "restatedAt", reason, campaign,
      case when reason <> 'returned' then counts end as before,
      case when reason <> 'withdrawn' then next end as after,
      count(*) over () as restatements
    from changes
    where reason is not null
    order by restated_at desc, callset_id
    limit ${count}
  `.execute(queries);
  return rows;
}

/** Ids and counts are below 2^53: as JSON they are exact. */
const counts = sql`jsonb_build_object(
  'attempts', attempts, 'busies', busies, 'connects', connects, 'liveAnswers', live_answers)`;

/** A query as a BI tool would send it: which figures changed after they had been loaded. */
export const restatedFiguresSql = `select a.name as account, r.day, d.campaign,
  r.attempts as before, d.attempts as now
from warehouse.campaign_day_restatements r
join warehouse.campaign_days d using (account_id, day, callset_id)
join warehouse.accounts a using (account_id)
order by r.day, d.campaign`;

export async function readRestatedFigures(queries: Queries) {
  const { rows } = await sql.raw<Readonly<Record<string, unknown>>>(restatedFiguresSql).execute(queries);
  return rows;
}
