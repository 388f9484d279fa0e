import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { AccountCoverage, AccountTotals, TopCampaign } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';

/** An account of a digest by its key: every query goes by the primary key's prefix (account, day). */
export type DigestAccount = {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly clientId: number | null;
};

/** Those of the named accounts that the warehouse knows, in their order. */
export async function readDigestAccounts(
  queries: Queries,
  names: readonly string[],
): Promise<DigestAccount[]> {
  return await queries
    .selectFrom('warehouse.accounts')
    .select(['account_id as id', 'name', 'label', 'client_id as clientId'])
    .where('name', '=', anyOf(names))
    .orderBy(sql`array_position(${names}::text[], name)`)
    .execute();
}

/** The sums of a day by account, one row for each named account, in their order; null where nothing was loaded. */
export async function readAccountTotals(
  queries: Queries,
  accounts: readonly string[],
  day: Day,
): Promise<AccountTotals[]> {
  const named = sql<{ name: string; place: number }>`unnest(${accounts}::text[]) with ordinality`;
  return await queries
    .selectFrom(named.as<'n'>(sql`n (name, place)`))
    .leftJoin('warehouse.accounts as a', 'a.name', 'n.name')
    .leftJoin('etl.windows as w', (join) =>
      join.onRef('w.account_id', '=', 'a.account_id').on('w.day', '=', day),
    )
    .leftJoin('warehouse.account_days as s', (join) =>
      join.onRef('s.account_id', '=', 'a.account_id').on('s.day', '=', day),
    )
    .innerJoinLateral(reportedOf(day).as<'r'>(sql`r`), (join) => join.onTrue())
    .select((eb) => [
      'n.name as account',
      eb.fn.coalesce('a.label', 'n.name').as('label'),
      'w.state',
      eb.fn.coalesce('s.campaigns', eb.lit(0)).as('campaigns'),
      's.attempts',
      's.busies',
      's.connects',
      's.live_answers as liveAnswers',
      'r.unreported',
      'r.rates',
    ])
    .orderBy('n.place')
    .execute();
}

/** Of account `a` on a day: how many campaigns leave out each count, and what its rates are made of. */
function reportedOf(day: Day) {
  const missing = (column: string) => sql`count(*) filter (where d.${sql.ref(column)} is null)`;
  const rate = (column: string) => sql`jsonb_build_object(
    'part', (sum(d.${sql.ref(column)}) filter (where d.attempts is not null))::text,
    'attempts', (sum(d.attempts) filter (where d.${sql.ref(column)} is not null))::text)`;
  return sql<Pick<AccountTotals, 'unreported' | 'rates'>>`(
    select
      jsonb_build_object(
        'attempts', ${missing('attempts')}, 'busies', ${missing('busies')},
        'connects', ${missing('connects')}, 'liveAnswers', ${missing('live_answers')}) as unreported,
      jsonb_build_object(
        'connects', ${rate('connects')}, 'liveAnswers', ${rate('live_answers')}, 'busies', ${rate('busies')}) as rates
    from warehouse.campaign_days d
    where d.account_id = a.account_id and d.day = ${day}::date and d.withdrawn_at is null)`;
}

/** The campaigns of a day with the most attempts. */
export async function readTopCampaigns(
  queries: Queries,
  accountIds: readonly number[],
  day: Day,
  count: number,
): Promise<TopCampaign[]> {
  return await queries
    .selectFrom('warehouse.campaign_days as d')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'd.account_id')
    .select([
      'a.label',
      'd.callset_id as callsetId',
      'd.campaign',
      'd.attempts',
      'd.busies',
      'd.connects',
      'd.live_answers as liveAnswers',
    ])
    .where('d.account_id', '=', anyOf(accountIds))
    .where('d.day', '=', day)
    .where('d.withdrawn_at', 'is', null)
    .where('d.attempts', '>', 0)
    .orderBy('d.attempts', 'desc')
    .orderBy('d.account_id')
    .orderBy('d.callset_id')
    .limit(count)
    .execute();
}

/**
 * Which of the last 14 days of each account, since its first, aren't loaded. Not from `warehouse.coverage`, which ends
 * with yesterday: a digest looks the same whenever it is built.
 */
export async function readDigestCoverage(
  queries: Queries,
  accountIds: readonly number[],
  day: Day,
): Promise<AccountCoverage[]> {
  const { rows } = await sql<AccountCoverage>`
    select a.label, array(
      select day::text from (select ${day}::date - n as day from generate_series(0, 13) n) d
      where day >= a.since and not exists (
        select from etl.windows w
        where w.account_id = a.account_id and w.day = d.day and w.state = 'loaded')
      order by day) as "recentlyMissing"
    from warehouse.accounts a
    where a.account_id = any(${accountIds}::integer[]) and a.since is not null
    order by array_position(${accountIds}::integer[], a.account_id)
  `.execute(queries);
  return rows;
}

/** When the day was last fetched, by the clock of the database; null if it never was. */
export async function readAsOf(
  queries: Queries,
  accountIds: readonly number[],
  day: Day,
): Promise<string | null> {
  const { asOf } = await queries
    .selectFrom('etl.windows')
    .select((eb) => eb.fn.max('fetched_at').as('asOf'))
    .where('account_id', '=', anyOf(accountIds))
    .where('day', '=', day)
    .executeTakeFirstOrThrow();
  return asOf;
}
