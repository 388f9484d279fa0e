import { sql } from 'kysely';
import type { Mover, TopCampaign } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';
import { exact, type Read } from '../db/exact.ts';
import { campaignSums, newestName, rateSums } from './figures.ts';
import type { Days } from './sums.ts';

/** Number of movers that a digest shows. */
const shownMovers = 5;

/** By how many days the same weekday or week is before. */
const back = [7, 14, 21, 28];

/**
 * Reads the campaigns that moved most, by ten attempts and a tenth of what is typical of them at least. What is typical are
 * the compared periods since the campaign began; one without the campaign counts as 0, one in which its attempts weren't
 * all reported doesn't count. A campaign began on its first day with attempts, and ended on its last one if the period is
 * the first that lacks it: each is news once.
 *
 * @param accounts the accounts that are compared, by name: confirmed, and known long enough
 * @param divisors the days that counts are divided by: a month counts per day with calls
 */
export async function readMovers(
  queries: Queries,
  accounts: readonly string[],
  { every, from, to }: Period,
  divisors: { readonly now: number; readonly reference: number },
): Promise<Mover[]> {
  const needed = every === 'month' ? 1 : 2;
  // Once told: the same weekday would have been expected since then, or another week or month has lacked it.
  const isTold = {
    day: sql`exists (
      select from rows r cross join unnest(${back}::integer[]) k (days)
      where r.account_id = c.account_id and r.callset_id = c.callset_id and r.attempts > 0
        and r.day + k.days > c.last_day and r.day + k.days < ${to}::date)`,
    week: sql`c.last_day < ${from}::date - 7`,
    month: sql`false`,
  }[every];
  const { rows } = await sql<Mover>`
    with compared as materialized (
      select t.account_id, t.first_days, t.last_days, t.first_days[1] as oldest
      from etl.typical t join warehouse.accounts a using (account_id)
      where a.name = any(${accounts}) and t.every = ${every} and t.last_day = ${to}),
    spans as materialized (
      select account_id, ${from}::date as first, ${to}::date as last, true as is_now from compared
      union all
      select account_id, r.first, r.last, false from compared, unnest(first_days, last_days) r (first, last)),
    rows as materialized (
      select d.account_id, d.callset_id, d.day, d.attempts, d.campaign
      from compared c
      join etl.campaign_days d on d.account_id = c.account_id and d.day between c.oldest and ${to}::date
        and d.withdrawn_at is null),
    campaigns as materialized (
      select account_id, callset_id, ${newestName} as campaign,
        min(day) filter (where attempts is distinct from 0) as first_day,
        max(day) filter (where attempts is distinct from 0) as last_day
      from rows d group by account_id, callset_id),
    sums as (
      select r.account_id, r.callset_id, s.is_now, s.first, sum(r.attempts) as attempts, bool_or(r.attempts is null) as unreported
      from rows r join spans s on s.account_id = r.account_id and r.day between s.first and s.last
      group by r.account_id, r.callset_id, s.is_now, s.first),
    own as (
      select c.account_id, c.callset_id,
        coalesce(bool_or(s.unreported) filter (where s.is_now), false) as unreported,
        coalesce(max(s.attempts) filter (where s.is_now), 0) as attempts,
        coalesce(sum(s.attempts) filter (where not s.is_now and not s.unreported and s.first >= c.first_day), 0) as before,
        count(*) filter (where not s.is_now and s.unreported and s.first >= c.first_day) as unknown
      from campaigns c join sums s using (account_id, callset_id)
      group by c.account_id, c.callset_id),
    moved as (
      select c.*, o.attempts / ${divisors.now}::numeric as attempts,
        case when c.first_day < ${from}::date then o.before / nullif(p.periods - o.unknown, 0) / ${divisors.reference}::numeric end as typical,
        case when c.first_day >= ${from}::date then c.first_day end as began,
        case when o.attempts = 0 then c.last_day end as ended
      from campaigns c
      join own o using (account_id, callset_id)
      cross join lateral (
        select count(*) as periods from spans s
        where s.account_id = c.account_id and not s.is_now and s.first >= c.first_day) p
      where not o.unreported and (c.first_day >= ${from}::date or p.periods - o.unknown >= ${needed})),
    movers as (
      select c.* from moved c
      where abs(attempts - coalesce(typical, 0)) >= greatest(10, coalesce(typical, 0) / 10)
        and (ended is null or not ${isTold})
      order by abs(attempts - coalesce(typical, 0)) desc, account_id, callset_id
      limit ${shownMovers})
    select a.label, m.callset_id as "callsetId", m.campaign, m.attempts::float8 as attempts,
      m.typical::float8 as typical, m.began, m.ended
    from movers m join warehouse.accounts a using (account_id)
    order by abs(m.attempts - coalesce(m.typical, 0)) desc, m.account_id, m.callset_id
  `.execute(queries);
  return rows;
}

/** Reads a period's three highest and three lowest connect rates, of campaigns with 20 attempts and a hundredth of all. */
export async function readExtremeRates(
  queries: Queries,
  accountIds: readonly number[],
  { from, to }: Days,
): Promise<TopCampaign[]> {
  const { rows } = await sql<Read<TopCampaign>>`
    with rated as (
      select d.account_id, d.callset_id, ${newestName} as campaign, ${campaignSums}, ${rateSums} as rates,
        sum(d.attempts) filter (where d.connects is not null) as base,
        sum(d.connects) filter (where d.attempts is not null) as part
      from etl.campaign_days d
      where d.account_id = any(${accountIds}::integer[]) and d.day between ${from}::date and ${to}::date
        and d.withdrawn_at is null
      group by d.account_id, d.callset_id),
    ranked as (
      select *, row_number() over (order by part / base, base desc, account_id, callset_id) as lowest,
        row_number() over (order by part / base desc, base desc, account_id, callset_id) as highest
      from rated where base >= greatest(20, (
        select sum(s.attempts) / 100 from warehouse.account_days s
        where s.account_id = any(${accountIds}::integer[]) and s.day between ${from}::date and ${to}::date)))
    select a.label, r.callset_id as "callsetId", r.campaign, r.attempts, r.busies, r.connects, r."liveAnswers", r.rates
    from ranked r join warehouse.accounts a using (account_id)
    where least(r.lowest, r.highest) <= 3
    order by r.highest
  `.execute(queries);
  return rows.map(exact);
}
