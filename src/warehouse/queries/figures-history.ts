import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { AccountDay, Mover, TopCampaign } from '../../model/digest.ts';
import type { RateSums } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import { type Days, rateSums } from './figures.ts';

/** Reads the sums of days by account, except days that weren't over when they were fetched. */
export async function readHistory(
  queries: Queries,
  accountIds: readonly number[],
  { from, to }: Days,
): Promise<AccountDay[]> {
  return await queries
    .selectFrom('warehouse.account_days as s')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 's.account_id')
    .innerJoinLateral(withoutRate.as<'h'>(sql`h`), (join) => join.onTrue())
    .select([
      'a.name as account',
      's.day',
      's.short',
      's.campaigns',
      's.attempts',
      's.busies',
      's.connects',
      's.live_answers as liveAnswers',
      connectRate.as('connectRate'),
    ])
    .where('s.account_id', '=', anyOf(accountIds))
    .where((eb) => eb.between('s.day', from, to))
    .where('s.provisional', '=', false)
    .orderBy('s.day')
    .orderBy('s.account_id')
    .execute();
}

/** For day `s`: the sums of the campaigns without a connect rate. They are few, and have their own index. */
const withoutRate = sql<object>`(
  select count(*) as campaigns, coalesce(sum(d.attempts), 0) as attempts, coalesce(sum(d.connects), 0) as connects
  from warehouse.campaign_days d
  where d.account_id = s.account_id and d.day = s.day and d.withdrawn_at is null
    and (d.attempts is null or d.connects is null))`;

/** The sums of the day's other campaigns: they report both attempts and connects. */
const connectRate = sql<RateSums>`case when h.campaigns = s.campaigns
  then '{"part": null, "attempts": null}'::jsonb
  else jsonb_build_object('part', (s.connects - h.connects)::text, 'attempts', (s.attempts - h.attempts)::text) end`;

/** Number of movers, and of low rates, that a digest shows. */
const shown = 5;

/**
 * Reads the campaigns whose attempts differ most from the mean of that weekday in the four weeks before: by
 * at least ten, and by at least a tenth. A day without the campaign counts as 0; a day on which its attempts
 * weren't reported doesn't count. The account and the campaign need at least two days that count.
 */
export async function readMovers(
  queries: Queries,
  accountIds: readonly number[],
  day: Day,
): Promise<Mover[]> {
  const { rows } = await sql<Mover>`
    with weeks as (select ${day}::date - 7 * n as day from generate_series(0, 4) n),
    loaded as (
      select account_id, count(*) - 1 as weeks from warehouse.account_days join weeks using (day)
      where account_id = any(${accountIds}::integer[]) and not provisional and not short
      group by account_id having count(*) >= 3 and max(day) = ${day}::date),
    campaigns as (
      select d.account_id, d.callset_id,
        (array_agg(d.campaign order by d.day desc))[1] as campaign,
        bool_or(d.day = ${day}::date and d.attempts is null) as unreported,
        coalesce(max(d.attempts) filter (where d.day = ${day}::date), 0) as attempts,
        coalesce(sum(d.attempts) filter (where d.day < ${day}::date), 0) as before,
        l.weeks - count(*) filter (where d.attempts is null) as weeks
      from loaded l
      join warehouse.account_days s on s.account_id = l.account_id and not s.provisional and not s.short
      join weeks using (day)
      join warehouse.campaign_days d on d.account_id = s.account_id and d.day = s.day and d.withdrawn_at is null
      group by d.account_id, d.callset_id, l.weeks),
    compared as (select *, before / weeks as typical from campaigns where weeks >= 2 and not unreported)
    select a.label, c.callset_id as "callsetId", c.campaign, c.attempts, c.typical::float8 as typical
    from compared c join warehouse.accounts a using (account_id)
    where abs(c.attempts - c.typical) >= greatest(10, c.typical / 10)
    order by abs(c.attempts - c.typical) desc, c.account_id, c.callset_id
    limit ${shown}
  `.execute(queries);
  return rows;
}

/** Reads a day's lowest connect rates, of campaigns with at least 20 attempts and a hundredth of all. */
export async function readLowestRates(
  queries: Queries,
  accountIds: readonly number[],
  day: Day,
): Promise<TopCampaign[]> {
  const { rows } = await sql<TopCampaign>`
    select a.label, d.callset_id as "callsetId", d.campaign, sum(d.attempts) as attempts, sum(d.busies) as busies,
      sum(d.connects) as connects, sum(d.live_answers) as "liveAnswers", ${rateSums} as rates
    from warehouse.campaign_days d join warehouse.accounts a using (account_id)
    where d.account_id = any(${accountIds}::integer[]) and d.day = ${day} and d.withdrawn_at is null
      and d.connects is not null and d.attempts >= greatest(20, (
        select sum(s.attempts) / 100 from warehouse.account_days s
        where s.account_id = any(${accountIds}::integer[]) and s.day = ${day}))
    group by a.account_id, d.account_id, d.day, d.callset_id
    order by d.connects::numeric / d.attempts, d.attempts desc, d.account_id, d.callset_id
    limit ${shown}
  `.execute(queries);
  return rows;
}
