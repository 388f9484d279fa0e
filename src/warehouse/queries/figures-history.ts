import { sql } from 'kysely';
import type { AccountDay, Mover, TopCampaign } from '../../model/digest.ts';
import type { ComparedPeriods, Period } from '../../model/period.ts';
import type { RateSums } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import { campaignSums, type Days, newestName, rateSums } from './figures.ts';

/** Reads the sums of days by account, except days that weren't over when they were fetched. */
export async function readHistory(
  queries: Queries,
  accountIds: readonly number[],
  { from, to }: Days,
): Promise<AccountDay[]> {
  return await queries
    .selectFrom('etl.windows as s')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 's.account_id')
    .select([
      'a.name as account',
      's.day',
      sql<boolean>`s.state = 'provisional'`.as('provisional'),
      sql<number>`s.campaigns`.as('campaigns'),
      dayAsDouble('attempts').as('attempts'),
      dayAsDouble('busies').as('busies'),
      dayAsDouble('connects').as('connects'),
      dayAsDouble('live_answers').as('liveAnswers'),
      connectRate.as('connectRate'),
    ])
    .where('s.account_id', '=', anyOf(accountIds))
    .where((eb) => eb.between('s.day', from, to))
    .where('s.state', '<>', 'failed')
    .where('s.over', '=', true)
    .orderBy('s.day')
    .orderBy('s.account_id')
    .execute();
}

/** The sum of day `s`: without campaigns 0, not null, because nothing went unreported. */
const dayAsDouble = (column: string) =>
  sql<number | null>`(case when s.campaigns = 0 then 0 else s.${sql.ref(column)} end)::float8`;

const connectRate = sql<RateSums>`jsonb_build_object(
  'part', s.connect_rate_connects, 'attempts', s.connect_rate_attempts)`;

/** Number of movers that a digest shows. */
const shownMovers = 5;

/**
 * Reads the campaigns whose attempts differ most from the mean of the compared periods: by at least ten, and by at least
 * a tenth. A period without the campaign counts as 0; one in which its attempts weren't all reported doesn't count. The
 * account and the campaign need as many periods as `needed`. A month counts per day with calls.
 */
export async function readMovers(
  queries: Queries,
  accountIds: readonly number[],
  period: Period,
  { periods, needed }: ComparedPeriods,
): Promise<Mover[]> {
  const all = [period, ...periods];
  const calling = period.every === 'month' ? sql`greatest(v.days, 1)` : sql`1`;
  const { rows } = await sql<Mover>`
    with periods as (
      select place, first, last from unnest(${all.map(({ from }) => from)}::date[], ${all.map(({ to }) => to)}::date[])
        with ordinality p (first, last, place)),
    whole as (
      select s.account_id, p.place, p.first, p.last
      from periods p join warehouse.account_days s on s.day between p.first and p.last
      where s.account_id = any(${accountIds}::integer[]) and not s.provisional
      group by s.account_id, p.place, p.first, p.last having count(*) = p.last - p.first + 1),
    accounts as (
      select account_id, count(*) - 1 as periods from whole
      group by account_id having count(*) > ${needed} and min(place) = 1),
    calling as (
      select place, count(distinct s.day) filter (where s.attempts > 0) as days
      from whole w join accounts using (account_id)
      join warehouse.account_days s on s.account_id = w.account_id and s.day between w.first and w.last
      group by place),
    account_periods as (
      select w.*, a.periods, ${calling} as calling
      from whole w join accounts a using (account_id) join calling v using (place)),
    campaigns as (
      select d.account_id, d.callset_id, w.place, w.periods, max(d.day) as day, ${newestName} as campaign,
        sum(d.attempts) / w.calling as attempts, bool_or(d.attempts is null) as unreported
      from account_periods w
      join etl.campaign_days d on d.account_id = w.account_id and d.day between w.first and w.last
        and d.withdrawn_at is null
      group by d.account_id, d.callset_id, w.place, w.periods, w.calling),
    sums as (
      select account_id, callset_id, (array_agg(campaign order by day desc))[1] as campaign,
        coalesce(bool_or(unreported) filter (where place = 1), false) as unreported,
        coalesce(max(attempts) filter (where place = 1), 0) as attempts,
        coalesce(sum(attempts) filter (where place > 1 and not unreported), 0) as before,
        periods - count(*) filter (where place > 1 and unreported) as periods
      from campaigns
      group by account_id, callset_id, periods),
    compared as (
      select *, before / periods as typical from sums where periods >= ${needed} and not unreported),
    movers as (
      select * from compared where abs(attempts - typical) >= greatest(10, typical / 10)
      order by abs(attempts - typical) desc, account_id, callset_id
      limit ${shownMovers})
    select a.label, m.callset_id as "callsetId", m.campaign, m.attempts::float8 as attempts,
      m.typical::float8 as typical
    from movers m join warehouse.accounts a using (account_id)
    order by abs(m.attempts - m.typical) desc, m.account_id, m.callset_id
  `.execute(queries);
  return rows;
}

/** Reads a period's three highest and three lowest connect rates, of campaigns with 20 attempts and a hundredth of all. */
export async function readExtremeRates(
  queries: Queries,
  accountIds: readonly number[],
  { from, to }: Days,
): Promise<TopCampaign[]> {
  const { rows } = await sql<TopCampaign>`
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
  return rows;
}
