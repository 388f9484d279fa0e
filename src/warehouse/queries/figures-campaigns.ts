import { type RawBuilder, sql } from 'kysely';
import type { CampaignFigures, Campaigns } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';
import { exact, type Read } from '../db/exact.ts';
import { knownSum } from '../db/expressions.ts';

/** Number of campaigns that are read of each kind: the mail names fewer, and counts those that moved alike. */
const readOfEach = 50;

/** Days at the end of a week or month without attempts, after which a campaign makes none any more. */
const daysWithout = 7;

const sumOf = (column: string) => knownSum(column, 'd');

const rateSum = (column: string) => sql`jsonb_build_object(
  'part', (sum(d.${sql.ref(column)}) filter (where d.attempts is not null))::text,
  'attempts', (sum(d.attempts) filter (where d.${sql.ref(column)} is not null))::text)`;

/** The newest name of a campaign among rows `d`. */
const newestName = sql<string | null>`(array_agg(d.campaign order by d.day desc))[1]`;

/** Attempts of rows `d`, and what their connect rate is made of; not reported counts as 0. */
const parts = sql`coalesce(sum(d.attempts), 0) as made,
  coalesce(sum(d.connects) filter (where d.attempts is not null), 0) as connects,
  coalesce(sum(d.attempts) filter (where d.connects is not null), 0) as rated`;

/** The rows of account `o`, span by span, by the key: joined at once, Postgres reads all days of the account. */
const rowsBetween = (first: RawBuilder<unknown>, last: RawBuilder<unknown>) => sql`(
  select e.* from etl.campaign_days e
  where e.account_id = o.account_id and e.day between ${first} and ${last} and e.withdrawn_at is null
  offset 0)`;

/**
 * Reads the campaigns of a period: those with the most attempts, those that moved most, and of each account the one that did.
 * The difference of a campaign is its attempts less what it has in the typical periods of its account, where absent and not
 * reported count as 0: the differences of all add up to the change of the total. So do their effects on the connect rate, over
 * the campaigns that report both. What is typical of a month is scaled to the account's days with attempts.
 *
 * @param compared the accounts that are compared, by name
 * @param rated those of them whose connect rate is compared
 */
export async function readCampaigns(
  queries: Queries,
  accounts: readonly string[],
  compared: readonly string[],
  rated: readonly string[],
  { every, from, to }: Period,
  each = readOfEach,
): Promise<Campaigns> {
  const number = (order: RawBuilder<unknown>) =>
    sql`row_number() over (order by ${order}, account_id, callset_id)`;
  const { rows } = await sql<
    Omit<Campaigns, 'rows'> & { readonly rows: readonly Read<CampaignFigures>[] | null }
  >`
    with own as materialized (
      select a.account_id, a.name, a.label, a.name = any(${rated}) as is_rated, t.first_days, t.last_days,
        cardinality(t.first_days)::numeric as periods,
        coalesce(t.calling_days::numeric / t.typical_calling_days, 1) as scale
      from warehouse.accounts a
      left join etl.typical t on t.account_id = a.account_id and t.every = ${every} and t.last_day = ${to}
        and a.name = any(${compared})
      where a.name = any(${accounts})),
    now as (
      select o.account_id, d.callset_id, ${newestName} as campaign, ${parts},
        jsonb_build_object('attempts', ${sumOf('attempts')}, 'busies', ${sumOf('busies')},
          'connects', ${sumOf('connects')}, 'liveAnswers', ${sumOf('live_answers')}, 'rates', jsonb_build_object(
            'connects', ${rateSum('connects')}, 'liveAnswers', ${rateSum('live_answers')},
            'busies', ${rateSum('busies')})) as figures
      from own o
      cross join lateral ${rowsBetween(sql`${from}::date`, sql`${to}::date`)} d
      group by o.account_id, d.callset_id),
    before as (
      select o.account_id, d.callset_id, p.first, ${parts}
      from own o
      cross join lateral unnest(o.first_days, o.last_days) p (first, last)
      cross join lateral ${rowsBetween(sql`p.first`, sql`p.last`)} d
      group by o.account_id, d.callset_id, p.first),
    typical as (
      select account_id, callset_id, sum(made) as made, sum(connects) as connects, sum(rated) as rated,
        count(*) as periods, min(made) as fewest, max(made) as most,
        min(connects / nullif(rated, 0)) as lowest, max(connects / nullif(rated, 0)) as highest
      from before group by account_id, callset_id),
    sums as (
      select o.*, callset_id, n.campaign, n.figures, coalesce(n.made, 0) as now,
        coalesce(t.made, 0) * o.scale / o.periods as typical,
        case when o.is_rated then coalesce(n.connects, 0) else 0 end as connects_now,
        case when o.is_rated then coalesce(n.rated, 0) else 0 end as attempts_now,
        case when o.is_rated then coalesce(t.connects, 0) else 0 end / o.periods as connects_typical,
        case when o.is_rated then coalesce(t.rated, 0) else 0 end / o.periods as attempts_typical,
        case when t.periods = o.periods then t.fewest * o.scale else 0 end as fewest,
        coalesce(t.most, 0) * o.scale as most, t.lowest, t.highest
      from now n
      full join typical t using (account_id, callset_id)
      join own o using (account_id)),
    effects as (
      select s.*, s.now - s.typical as moved,
        case when s.periods is not null then
          coalesce(s.connects_now / nullif(t.attempts_now, 0) - s.connects_typical / nullif(t.attempts_typical, 0)
            - (s.attempts_now / nullif(t.attempts_now, 0) - s.attempts_typical / nullif(t.attempts_typical, 0))
              * t.connects_typical / nullif(t.attempts_typical, 0), 0) end as effect
      from sums s
      cross join (
        select sum(attempts_now) as attempts_now, sum(attempts_typical) as attempts_typical,
          sum(connects_typical) as connects_typical
        from sums where periods is not null) t
      where s.now > 0 or s.typical > 0),
    ranked as (
      select *, ${number(sql`now desc`)} as by_attempts, ${number(sql`abs(moved) desc nulls last`)} as by_moved,
        ${number(sql`abs(effect) desc nulls last`)} as by_effect,
        row_number() over (partition by account_id order by abs(moved) desc nulls last, callset_id) as in_account
      from effects),
    shown as (
      select r.by_attempts, coalesce(r.figures, jsonb_build_object('attempts', '0', 'busies', null, 'connects', null,
        'liveAnswers', null, 'rates', jsonb_build_object('connects', n.none, 'liveAnswers', n.none, 'busies', n.none)))
        || jsonb_build_object(
          'account', r.name, 'label', r.label, 'callsetId', r.callset_id, 'campaign', coalesce(r.campaign, g.name),
          'part', case when r.periods is not null then jsonb_build_object(
            'attempts', jsonb_build_object('now', r.now, 'typical', r.typical),
            'rate', jsonb_build_object(
              'now', jsonb_build_object('part', r.connects_now, 'attempts', r.attempts_now),
              'typical', jsonb_build_object('part', r.connects_typical, 'attempts', r.attempts_typical))) end,
          'since', case when r.moved > 0 and g.is_start_known and g.first_day > r.first_days[1]
            then g.first_day end,
          'noneSince', case when r.moved < 0 and g.last_day < greatest(${from}::date, ${to}::date - ${sql.lit(daysWithout - 1)}::integer)
            then g.last_day end,
          'isUnusual', jsonb_build_object(
            'attempts', r.now not between r.fewest and r.most,
            'rate', r.now not between r.fewest and r.most or coalesce(
              r.connects_now / nullif(r.attempts_now, 0) not between r.lowest and r.highest, true))) as campaign
      from ranked r
      cross join (select jsonb_build_object('part', null, 'attempts', null) as none) n
      left join etl.campaigns g on g.account_id = r.account_id and g.callset_id = r.callset_id
      where r.by_attempts <= ${each}
        or r.moved is not null and (least(r.by_moved, r.by_effect) <= ${each} or r.in_account = 1))
    select (select jsonb_agg(campaign order by by_attempts) from shown) as rows, count(*) as count,
      jsonb_build_object('attempts', count(*) filter (where moved > 0), 'rate', count(*) filter (where effect > 0)) as up,
      jsonb_build_object('attempts', count(*) filter (where moved < 0), 'rate', count(*) filter (where effect < 0)) as down
    from effects
  `.execute(queries);
  const { rows: campaigns, ...counted } = rows[0]!;
  return { ...counted, rows: (campaigns ?? []).map(exact) };
}
