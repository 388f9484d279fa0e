import { sql } from 'kysely';
import { cutDays, cutLengths } from '../../model/cut-lists.ts';
import type { AccountDays, EarlierDays } from '../../model/window.ts';
import { isZone } from '../../support/clock.ts';
import type { Queries } from '../db/database.ts';

/** A day that isn't simply loaded and settled: the condition of the index `windows_marked`. */
const isMarked = sql`not (state = 'loaded' and settled and day_ended and held_hash is null and error_code is null and anomalies = '[]')`;

/** The lengths of the newest lists of account `r` that have campaigns. */
const newestLists = (count: number) => sql`
  select w.listed_campaigns as length from etl.windows w
  where w.account_id = r.account_id and w.day between r.first and r.yesterday
    and w.state <> 'failed' and w.listed_campaigns > 0
  order by w.day desc
  limit ${count}`;

/**
 * Reads how the days of every account are, by name: the one reading that exit codes, `status`, alerts, page and metrics
 * group. It is bounded by `since` and `CATCH_UP_DAYS`; what lies before is one date, `completeThrough`.
 */
export async function readAccountDays(
  queries: Queries,
  now: Temporal.Instant,
  catchUpDays: number,
): Promise<AccountDays[]> {
  const { rows } = await sql<AccountDays>`
    with accounts as materialized (
      select a.account_id, a.name, a.label, a.time_zone, a.first_expected_day, z.yesterday,
        greatest(a.first_expected_day, z.yesterday + 1 - ${catchUpDays}::integer) as first
      from warehouse.accounts a
      join (
        select time_zone, (${now.toString()}::timestamptz at time zone etl.known_zone(time_zone))::date - 1 as yesterday
        from warehouse.accounts group by time_zone) z using (time_zone)
      where a.last_expected_day is null)
    select r.account_id as id, r.name, r.label, r.time_zone as "timeZone", r.first_expected_day as since,
      f.complete_through_day as "completeThrough", r.first as "catchUpFrom", r.yesterday,
      case when n.length is null and not exists (
        select from etl.windows w where w.account_id = r.account_id and w.listed_campaigns > 0)
      then (select count(*) from etl.windows w where w.account_id = r.account_id and w.state <> 'failed')
      else 0 end as "daysWithoutCampaigns",
      case when n.length = any (${cutLengths}) and ${cutDays} = (
        select count(*) filter (where length = n.length) from (${newestLists(cutDays)}) l)
      then n.length::integer end as "cutAt",
      d.days
    from accounts r
    -- Account by account, by their keys: joined at once, Postgres may compare all days of all, or read all of history.
    cross join lateral (
      select complete_through_day from warehouse.freshness where account_id = r.account_id offset 0) f
    cross join lateral (
      select coalesce(jsonb_agg(to_jsonb(s) order by day), '[]') as days
      from (
        select d.day, case when w.state <> 'failed' or w.failed_at is not null then w.state else 'missing' end as state,
          coalesce(w.day_ended, true) as "isOver", w.held_hash is not null as held,
          coalesce(w.state = 'loaded' and not w.settled, false) as settling,
          exists (
            select from warehouse.campaign_day_restatements c where c.account_id = r.account_id and c.day = d.day) as restated,
          w.error_code as code, w.error_status as status, w.error_sign as sign, w.error as reason,
          w.held_code as "heldCode", w.held_reason as "heldReason",
          coalesce(w.anomalies, '[]') as anomalies, w.attempts::float8 as attempts,
          t.attempts as "typicalAttempts"
        from (
          select day from etl.windows
          where account_id = r.account_id and day between r.first and r.yesterday and ${isMarked}
          union
          select day from warehouse.campaign_day_restatements
          where account_id = r.account_id and day between r.first and r.yesterday
          union
          -- Only these may have no row.
          select r.yesterday - n from generate_series(0, r.yesterday - greatest(r.first, f.complete_through_day + 1)) n
          union
          select r.yesterday where r.yesterday >= r.first) d
        left join lateral (
          select * from etl.windows where account_id = r.account_id and day = d.day offset 0) w on true
        left join lateral (
          select p.attempts::float8 as attempts from etl.typical p
          where w.state = 'loaded' and not w.settled
            -- A backfill would warn of every holiday of a year, and a person knows what she accepts.
            and not exists (
              select from etl.runs n where n.run_id = w.run_id and n.kind in ('backfill', 'accept'))
            and p.account_id = w.account_id and p.every = 'day' and p.last_day = w.day
          offset 0) t on true
        offset 0) s
      where r.first_expected_day is not null
        and (state <> 'loaded' or held or settling or restated or code is not null or anomalies <> '[]' or day = r.yesterday)) d
    left join lateral (${newestLists(1)}) n on true
    order by r.name
  `.execute(queries);
  return rows.map((row) => ({ ...row, timeZone: isZone(row.timeZone) ? row.timeZone : 'UTC' }));
}

/** Reads, by account key, which days before the ones that runs still fetch are neither confirmed nor dismissed. */
export async function readEarlierDays(
  queries: Queries,
  accounts: readonly Pick<AccountDays, 'id' | 'since' | 'completeThrough' | 'catchUpFrom'>[],
): Promise<ReadonlyMap<number, EarlierDays>> {
  const lacking = accounts.filter(
    ({ since, completeThrough, catchUpFrom }) =>
      since !== null && since < catchUpFrom && (completeThrough ?? since) < catchUpFrom,
  );
  if (lacking.length === 0) return new Map();
  const { rows } = await sql<EarlierDays & { id: number }>`
    select g.id, min(day) as first, max(day) as last, count(*)::integer as days
    from unnest(
      ${lacking.map(({ id }) => id)}::bigint[],
      ${lacking.map(({ since, completeThrough }) => completeThrough ?? since)}::date[],
      ${lacking.map(({ catchUpFrom }) => catchUpFrom)}::date[]) g (id, since, reach)
    cross join lateral (select g.since + n as day from generate_series(0, g.reach - g.since - 1) n) d
    where not exists (
      select from etl.windows w
      where w.account_id = g.id and w.day = d.day and (w.state = 'loaded' or w.dismissed_at is not null))
    group by g.id
  `.execute(queries);
  return new Map(rows.map(({ id, ...days }) => [id, days]));
}
