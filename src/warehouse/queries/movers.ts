import { type RawBuilder, sql } from 'kysely';
import type { Mover, TopCampaign } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';
import { exact, type Read } from '../db/exact.ts';
import { campaignSums, newestName, rateSums } from './figures.ts';
import type { Days } from './sums.ts';

/** Number of movers that a digest shows. */
const shownMovers = 5;

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
  // It was told before: a weekday that had it in the four weeks before has lacked it, or another week or month has.
  const isTold = {
    day: sql`coalesce(c.expected_day > c.last_day, false)`,
    week: sql`c.last_day < ${from}::date - 7`,
    month: sql`false`,
  }[every];
  // Of each of the four compared periods at most: in one pass over the rows.
  const inSpan = (place: number) =>
    sql`d.day between c.first_days[${sql.lit(place)}] and c.last_days[${sql.lit(place)}]`;
  const places = [1, 2, 3, 4].map((place) => inSpan(place));
  const ofPlaces = (value: (span: RawBuilder<unknown>) => RawBuilder<unknown>) =>
    sql`array[${sql.join(places.map(value))}]`;
  const { rows } = await sql<Mover>`
    with compared as materialized (
      select t.account_id, t.first_days, t.last_days
      from etl.typical t join warehouse.accounts a using (account_id)
      where a.name = any(${accounts}) and t.every = ${every} and t.last_day = ${to}),
    campaigns as (
      select d.account_id, d.callset_id, c.first_days,
        min(d.day) filter (where d.attempts is distinct from 0) as first_day,
        max(d.day) filter (where d.attempts is distinct from 0) as last_day,
        max(d.day + 7 * least(4, (${to}::date - d.day - 1) / 7))
          filter (where d.attempts > 0 and d.day < ${to}::date - 7) as expected_day,
        coalesce(sum(d.attempts) filter (where d.day >= ${from}::date), 0) as attempts,
        coalesce(bool_or(d.attempts is null) filter (where d.day >= ${from}::date), false) as unreported,
        ${ofPlaces((span) => sql`sum(d.attempts) filter (where ${span})`)} as before,
        ${ofPlaces((span) => sql`bool_or(d.attempts is null) filter (where ${span})`)} as unknown
      from compared c
      join etl.campaign_days d on d.account_id = c.account_id and d.withdrawn_at is null
        and d.day between c.first_days[1] and ${to}::date
      group by d.account_id, d.callset_id, c.first_days),
    moved as (
      select c.account_id, c.callset_id, c.last_day, c.expected_day, c.attempts / ${divisors.now}::numeric as attempts,
        case when c.first_day < ${from}::date then b.attempts / b.periods / ${divisors.reference}::numeric end as typical,
        case when c.first_day >= ${from}::date then c.first_day end as began,
        case when c.attempts = 0 then c.last_day end as ended
      from campaigns c
      cross join lateral (
        select count(*) as periods, sum(coalesce(r.attempts, 0)) as attempts
        from unnest(c.first_days, c.before, c.unknown) r (first, attempts, unknown)
        where r.first >= c.first_day and not coalesce(r.unknown, false)) b
      where not c.unreported and (c.first_day >= ${from}::date or b.periods >= ${needed})),
    movers as (
      select c.* from moved c
      where abs(attempts - coalesce(typical, 0)) >= greatest(10, coalesce(typical, 0) / 10)
        and (ended is null or not ${isTold})
      order by abs(attempts - coalesce(typical, 0)) desc, account_id, callset_id
      limit ${shownMovers})
    select a.label, m.callset_id as "callsetId", n.campaign, m.attempts::float8 as attempts,
      m.typical::float8 as typical, m.began, m.ended
    from movers m
    join warehouse.accounts a using (account_id)
    cross join lateral (
      select d.campaign from etl.campaign_days d
      where d.account_id = m.account_id and d.callset_id = m.callset_id and d.day = m.last_day) n
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
