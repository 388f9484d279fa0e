import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { WindowState } from '../../model/window.ts';
import type { Queries } from '../db/database.ts';

/** An account's day, as the warehouse has it. The sums are null if nothing of it was ever loaded. */
export type CoveredDay = {
  readonly account: string;
  readonly day: Day;
  readonly state: WindowState | 'missing';
  readonly held: boolean;
  readonly settling: boolean;
  readonly restated: boolean;
  readonly reason: string | null;
  readonly campaigns: number | null;
  readonly attempts: string | null;
};

/**
 * Reads the days of every account that hasn't retired, from `since` to its yesterday, by account and day, as
 * `warehouse.coverage` shows them. It doesn't use that view, which lists all of history.
 */
export async function readCoverage(
  queries: Queries,
  now: Temporal.Instant,
  since: Day,
): Promise<CoveredDay[]> {
  const { rows } = await sql<CoveredDay>`
    select a.name as account, s.*
    from warehouse.accounts a
    cross join lateral (
      select greatest(a.since, ${since}::date) as first,
        (${now.toString()}::timestamptz at time zone etl.known_zone(a.time_zone))::date - 1 as last) r
    cross join lateral (
      select d.day, coalesce(w.state, 'missing') as state, w.held_hash is not null as held,
        coalesce(w.state = 'loaded' and not w.settled, false) as settling,
        exists (
          select from warehouse.campaign_day_restatements c where c.account_id = a.account_id and c.day = d.day) as restated,
        coalesce(w.failure, w.held_reason, w.provisional_reason) as reason,
        case when w.state <> 'failed' then w.campaigns end as campaigns, case when w.state <> 'failed' then w.attempts end as attempts
      from (
        select r.first + n as day from generate_series(0, r.last - r.first) n where a.since is not null
        union
        select day from etl.windows
        where account_id = a.account_id and day between ${since}::date and coalesce(a.since - 1, r.last) and state <> 'failed') d
      left join (
        select * from etl.windows where account_id = a.account_id and day between ${since}::date and r.last offset 0) w
        on w.day = d.day
      offset 0) s
    where a.until is null
    order by a.name, s.day
  `.execute(queries);
  return rows;
}
