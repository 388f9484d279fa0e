import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { AccountCoverage, AccountTotals, TopCampaign } from '../../model/digest.ts';
import type { Period } from '../../model/period.ts';
import type { Sums } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';

/** An account of a digest by its key: every query uses the primary key's prefix (account, day). */
export type DigestAccount = {
  readonly id: number;
  readonly name: string;
  readonly label: string;
};

/** The first and the last day of a range. */
export type Days = Pick<Period, 'from' | 'to'>;

/** Reads the named accounts that the warehouse knows, in the order of the names. */
export async function readDigestAccounts(
  queries: Queries,
  names: readonly string[],
): Promise<DigestAccount[]> {
  return await queries
    .selectFrom(namedInOrder(names))
    .innerJoin('warehouse.accounts as a', 'a.name', 'n.name')
    .select(['a.account_id as id', 'a.name', 'a.label'])
    .orderBy('n.place')
    .execute();
}

/** Names of accounts, each with its place. */
const namedInOrder = (names: readonly string[]) =>
  sql<{ name: string; place: number }>`unnest(${names}::text[]) with ordinality`.as<'n'>(
    sql`n (name, place)`,
  );

/**
 * Reads the sums of a period, a row for each named account, in the order of the names; null if nothing was
 * loaded. Days before an account's first aren't expected.
 */
export async function readAccountTotals(
  queries: Queries,
  accounts: readonly string[],
  period: Days,
): Promise<AccountTotals[]> {
  return await queries
    .selectFrom(namedInOrder(accounts))
    .leftJoin('warehouse.accounts as a', 'a.name', 'n.name')
    .innerJoinLateral(daysLoaded(period).as<'w'>(sql`w`), (join) => join.onTrue())
    .innerJoinLateral(sumsOf(period).as<'s'>(sql`s`), (join) => join.onTrue())
    .innerJoinLateral(reportedOf(period).as<'r'>(sql`r`), (join) => join.onTrue())
    .select((eb) => [
      'n.name as account',
      eb.fn.coalesce('a.label', 'n.name').as('label'),
      'w.state',
      'w.lackingDays',
      'w.provisionalDays',
      'r.campaigns',
      'r.idle',
      's.attempts',
      's.busies',
      's.connects',
      's.liveAnswers',
      'r.unreported',
      'r.rates',
    ])
    .orderBy('n.place')
    .execute();
}

/** For account `a`: how far the expected days of the period are loaded. */
function daysLoaded({ from, to }: Days) {
  return sql<Pick<AccountTotals, 'state' | 'lackingDays' | 'provisionalDays'>>`(
    select
      case
        when every(coalesce(w.state <> 'failed' and w.over, false)) then 'loaded'
        when count(*) filter (where w.state <> 'failed') > 0 then 'incomplete'
        else max(w.state)
      end as state,
      coalesce(array_agg(e.day::text order by e.day) filter (where w.state is null or w.state = 'failed' or not w.over), '{}')
        as "lackingDays",
      coalesce(jsonb_agg(jsonb_build_object('day', e.day, 'anomalies', w.anomalies) order by e.day)
        filter (where w.state = 'provisional' and w.over), '[]') as "provisionalDays"
    from (
      select ${from}::date + n as day from generate_series(0, ${to}::date - ${from}::date) n
      where a.since is null or a.since > ${to}::date or ${from}::date + n >= a.since) e
    left join etl.windows w on w.account_id = a.account_id and w.day = e.day)`;
}

/** For account `a`: the sums over the days of the period; null if none is loaded. */
function sumsOf({ from, to }: Days) {
  // Without campaigns 0, not null: nothing went unreported.
  const sum = (column: string) =>
    sql`(case when every(s.campaigns = 0) then 0 else sum(s.${sql.ref(column)}) end)::float8`;
  return sql<Sums>`(
    select ${sum('attempts')} as attempts, ${sum('busies')} as busies, ${sum('connects')} as connects,
      ${sum('live_answers')} as "liveAnswers"
    from warehouse.account_days s
    where s.account_id = a.account_id and s.day between ${from}::date and ${to}::date)`;
}

/** For account `a`: its campaigns in the period, how many omit each count, and the parts of its rates. */
function reportedOf({ from, to }: Days) {
  const missing = (column: string) =>
    sql`count(distinct d.callset_id) filter (where d.${sql.ref(column)} is null)`;
  return sql<Pick<AccountTotals, 'campaigns' | 'idle' | 'unreported' | 'rates'>>`(
    select
      count(distinct d.callset_id) as campaigns,
      count(distinct d.callset_id) - count(distinct d.callset_id) filter (where d.attempts is distinct from 0) as idle,
      jsonb_build_object(
        'attempts', ${missing('attempts')}, 'busies', ${missing('busies')},
        'connects', ${missing('connects')}, 'liveAnswers', ${missing('live_answers')}) as unreported,
      ${rateSums} as rates
    from etl.campaign_days d
    where d.account_id = a.account_id and d.day between ${from}::date and ${to}::date and d.withdrawn_at is null)`;
}

/** The sums of campaigns `d`, as doubles. */
export const campaignSums = sql<Sums>`sum(d.attempts)::float8 as attempts, sum(d.busies)::float8 as busies,
  sum(d.connects)::float8 as connects, sum(d.live_answers)::float8 as "liveAnswers"`;

const rateSum = (column: string) => sql`jsonb_build_object(
  'part', sum(d.${sql.ref(column)}) filter (where d.attempts is not null),
  'attempts', sum(d.attempts) filter (where d.${sql.ref(column)} is not null))`;

/** The parts that rates are made of, over rows `d`. */
export const rateSums = sql<AccountTotals['rates']>`jsonb_build_object('connects', ${rateSum('connects')},
  'liveAnswers', ${rateSum('live_answers')}, 'busies', ${rateSum('busies')})`;

/** Reads the campaigns with the most attempts in a period. */
export async function readTopCampaigns(
  queries: Queries,
  accountIds: readonly number[],
  { from, to }: Days,
  count: number,
): Promise<TopCampaign[]> {
  const { rows } = await sql<TopCampaign>`
    with top as (
      select d.account_id, d.callset_id, ${newestName} as campaign, ${campaignSums}, ${rateSums} as rates,
        sum(d.attempts) as total
      from etl.campaign_days d
      where d.account_id = any(${accountIds}::integer[]) and d.day between ${from}::date and ${to}::date
        and d.withdrawn_at is null
      group by d.account_id, d.callset_id
      having sum(d.attempts) > 0
      order by total desc, d.account_id, d.callset_id
      limit ${count})
    select a.label, t.callset_id as "callsetId", t.campaign, t.attempts, t.busies, t.connects, t."liveAnswers", t.rates
    from top t join warehouse.accounts a using (account_id)
    order by t.total desc, t.account_id, t.callset_id
  `.execute(queries);
  return rows;
}

/** The newest name of a campaign among rows `d`. */
export const newestName = sql<string | null>`(array_agg(d.campaign order by d.day desc))[1]`;

/**
 * Reads, for each account, which of these days since its first lack, and which are provisional. It doesn't use
 * `warehouse.coverage`, which ends with yesterday: a digest looks the same whenever it is built.
 */
export async function readDigestCoverage(
  queries: Queries,
  accountIds: readonly number[],
  { from, to }: Days,
): Promise<AccountCoverage[]> {
  const { rows } = await sql<AccountCoverage>`
    select a.label, array(
        select day::text from (select ${from}::date + n as day from generate_series(0, ${to}::date - ${from}::date) n) d
        where day >= a.since and not exists (
          select from etl.windows w
          where w.account_id = a.account_id and w.day = d.day and w.state <> 'failed' and w.over)
        order by day) as lacking,
      array(
        select w.day::text from etl.windows w
        where w.account_id = a.account_id and w.day between greatest(${from}::date, a.since) and ${to}::date
          and w.state = 'provisional' and w.over
        order by w.day) as provisional
    from unnest(${accountIds}::integer[]) with ordinality n (account_id, place)
    join warehouse.accounts a using (account_id)
    where a.since is not null
    order by n.place
  `.execute(queries);
  return rows;
}

/** Reads through which day, up to `day`, all of these accounts are complete; null if one isn't through any. */
export async function readCompleteThrough(
  queries: Queries,
  accounts: readonly string[],
  day: Day,
): Promise<Day | null> {
  const { through, complete } = await queries
    .selectFrom('warehouse.freshness')
    .select((eb) => [
      sql<Day | null>`least(min(complete_through), ${day}::date)`.as('through'),
      eb.fn.count<number>('complete_through').as('complete'),
    ])
    .where('account', '=', anyOf(accounts))
    .executeTakeFirstOrThrow();
  return complete === new Set(accounts).size ? through : null;
}

/** Reads when a day of the period was last fetched, by the database's clock; null if none ever was. */
export async function readAsOf(
  queries: Queries,
  accountIds: readonly number[],
  { from, to }: Days,
): Promise<string | null> {
  const { asOf } = await queries
    .selectFrom('etl.windows')
    .select((eb) => eb.fn.max('fetched_at').as('asOf'))
    .where('account_id', '=', anyOf(accountIds))
    .where((eb) => eb.between('day', from, to))
    .executeTakeFirstOrThrow();
  return asOf;
}
