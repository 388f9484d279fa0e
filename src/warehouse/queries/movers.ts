import { sql } from 'kysely';
import type { Mover, Movers, TopCampaign } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';
import { exact, type Read } from '../db/exact.ts';
import { campaignSums, newestName, rateSums } from './figures.ts';
import type { Days } from './sums.ts';

/** Number of campaigns that a digest names. */
const shownMovers = 5;

/** Days at the end of a week or month without attempts, after which a campaign makes none any more. */
const daysWithout = 7;

/**
 * Reads what moved. The difference of a campaign is its attempts less what it has in the typical periods of its account, where
 * absent and not reported count as 0: the differences of all add up to the change of the total. So do their effects on the
 * connect rate, over the campaigns that report both. What is typical of a month is scaled to the account's days with attempts.
 *
 * @param accounts the accounts that are compared, by name
 * @param rated those of them whose connect rate is compared
 * @param shown how many of each kind it names
 */
export async function readMovers(
  queries: Queries,
  accounts: readonly string[],
  rated: readonly string[],
  { every, from, to }: Period,
  shown = shownMovers,
): Promise<Movers> {
  const { rows } = await sql<Omit<Movers, 'campaigns'> & { readonly campaigns: Mover[] | null }>`
    with compared as materialized (
      select t.account_id, a.label, a.name = any(${rated}) as is_rated, t.first_days, t.last_days,
        cardinality(t.first_days)::numeric as periods,
        coalesce(t.calling_days, 1) as calling_days, coalesce(t.typical_calling_days, 1) as typical_calling_days
      from etl.typical t join warehouse.accounts a using (account_id)
      where a.name = any(${accounts}) and t.every = ${every} and t.last_day = ${to}),
    sums as (
      select c.account_id, d.callset_id,
        coalesce(sum(d.attempts) filter (where s.is_now), 0) as now,
        coalesce(sum(d.attempts) filter (where not s.is_now), 0) * c.calling_days
          / (c.periods * c.typical_calling_days) as typical,
        coalesce(sum(d.connects) filter (where s.is_now and d.attempts is not null and c.is_rated), 0) as connects_now,
        coalesce(sum(d.attempts) filter (where s.is_now and d.connects is not null and c.is_rated), 0) as attempts_now,
        coalesce(sum(d.connects) filter (where not s.is_now and d.attempts is not null and c.is_rated), 0)
          / c.periods as connects_typical,
        coalesce(sum(d.attempts) filter (where not s.is_now and d.connects is not null and c.is_rated), 0)
          / c.periods as attempts_typical
      from compared c
      cross join lateral (
        select true as is_now, ${from}::date as first, ${to}::date as last
        union all
        select false, p.first, p.last from unnest(c.first_days, c.last_days) p (first, last)) s
      -- Span by span, by the key: joined at once, Postgres reads all days of the account.
      cross join lateral (
        select e.callset_id, e.attempts, e.connects from etl.campaign_days e
        where e.account_id = c.account_id and e.day between s.first and s.last and e.withdrawn_at is null
        offset 0) d
      group by c.account_id, c.periods, c.calling_days, c.typical_calling_days, d.callset_id),
    effects as (
      select s.*, s.now - s.typical as moved,
        coalesce(s.connects_now / nullif(t.attempts_now, 0) - s.connects_typical / nullif(t.attempts_typical, 0)
          - (s.attempts_now / nullif(t.attempts_now, 0) - s.attempts_typical / nullif(t.attempts_typical, 0))
            * t.connects_typical / nullif(t.attempts_typical, 0), 0) as effect
      from sums s
      cross join (
        select sum(attempts_now) as attempts_now, sum(attempts_typical) as attempts_typical,
          sum(connects_typical) as connects_typical
        from sums) t),
    movers as (
      select e.*, row_number() over (order by abs(moved) desc, account_id, callset_id) as by_attempts,
        row_number() over (order by abs(effect) desc, account_id, callset_id) as by_rate
      from effects e),
    named as (
      select c.label, m.callset_id as "callsetId", n.campaign,
        jsonb_build_object('now', m.now, 'typical', m.typical) as attempts,
        jsonb_build_object('now', jsonb_build_object('part', m.connects_now, 'attempts', m.attempts_now),
          'typical', jsonb_build_object('part', m.connects_typical, 'attempts', m.attempts_typical)) as rate,
        case when m.moved > 0 and g.is_start_known and g.first_day > c.first_days[1] then g.first_day end as since,
        case when m.moved < 0 and n.last_day < greatest(${from}::date, ${to}::date - ${sql.lit(daysWithout - 1)}::integer)
          then n.last_day end as "noneSince",
        m.by_attempts
      from movers m
      join compared c using (account_id)
      left join warehouse.campaigns g on g.account_id = m.account_id and g.callset_id = m.callset_id
      cross join lateral (
        select ${newestName} as campaign, max(d.day) filter (where d.attempts > 0) as last_day
        from etl.campaign_days d
        where d.account_id = m.account_id and d.callset_id = m.callset_id and d.day between c.first_days[1] and ${to}::date
          and d.withdrawn_at is null) n
      where least(m.by_attempts, m.by_rate) <= ${shown} and (m.moved <> 0 or m.effect <> 0))
    select
      (select jsonb_agg(to_jsonb(n) - 'by_attempts' order by n.by_attempts) from named n) as campaigns,
      count(*) as count,
      jsonb_build_object('attempts', coalesce(sum(abs(moved)), 0), 'rate', coalesce(sum(abs(effect)), 0)) as moved,
      jsonb_build_object('attempts', count(*) filter (where moved > 0), 'rate', count(*) filter (where effect > 0)) as up,
      jsonb_build_object('attempts', count(*) filter (where moved < 0), 'rate', count(*) filter (where effect < 0)) as down
    from effects
  `.execute(queries);
  const { campaigns, ...all } = rows[0]!;
  return { ...all, campaigns: campaigns ?? [] };
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
