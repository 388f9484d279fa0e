import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { AccountCoverage, AccountDay, AccountTotals, TopCampaign } from '../model/digest.ts';
import type { Queries } from './warehouse.ts';

/** An account of a digest by its key: every query goes by the primary key's prefix (account, day). */
export type DigestAccount = {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  readonly clientId: number | null;
};

/** Those of the named accounts that the warehouse knows, in their order. */
export async function readDigestAccounts(
  warehouse: Queries,
  names: readonly string[],
): Promise<DigestAccount[]> {
  const { rows } = await warehouse.query<DigestAccount>(sql`
    select account_id as id, name, label, client_id as "clientId" from warehouse.accounts
    where name = any(${names}::text[]) order by array_position(${names}::text[], name)
  `);
  return rows;
}

/** The sums of a day by account, one row for each named account, in their order; null where nothing was loaded. */
export async function readAccountTotals(
  warehouse: Queries,
  accounts: readonly string[],
  day: Day,
): Promise<AccountTotals[]> {
  const { rows } = await warehouse.query<AccountTotals>(sql`
    select n.name as account, coalesce(a.label, n.name) as label, w.state, coalesce(s.campaigns, 0) as campaigns,
      s.attempts, s.busies, s.connects, s.live_answers as "liveAnswers"
    from unnest(${accounts}::text[]) with ordinality n (name, place)
    left join warehouse.accounts a using (name)
    left join etl.windows w on w.account_id = a.account_id and w.day = ${day}
    left join warehouse.account_days s on s.account_id = a.account_id and s.day = ${day}
    order by n.place
  `);
  return rows;
}

/** The sums of the day and of the 28 before, by account, of what was over when it was asked for. */
export async function readHistory(
  warehouse: Queries,
  accountIds: readonly number[],
  day: Day,
): Promise<AccountDay[]> {
  const { rows } = await warehouse.query<AccountDay>(sql`
    select a.name as account, s.day, s.attempts, s.busies, s.connects, s.live_answers as "liveAnswers"
    from warehouse.account_days s
    join warehouse.accounts a using (account_id)
    where s.account_id = any(${accountIds}::integer[]) and s.day between ${day}::date - 28 and ${day}::date
      and not s.provisional
    order by s.day, s.account_id
  `);
  return rows;
}

/** The campaigns of a day with the most attempts. */
export async function readTopCampaigns(
  warehouse: Queries,
  accountIds: readonly number[],
  day: Day,
  count: number,
): Promise<TopCampaign[]> {
  const { rows } = await warehouse.query<TopCampaign>(sql`
    select a.label, d.callset_id as "callsetId", d.campaign,
      d.attempts, d.busies, d.connects, d.live_answers as "liveAnswers"
    from warehouse.campaign_days d
    join warehouse.accounts a using (account_id)
    where d.account_id = any(${accountIds}::integer[]) and d.day = ${day} and d.withdrawn_at is null
      and d.attempts > 0
    order by d.attempts desc, d.account_id, d.callset_id
    limit ${count}
  `);
  return rows;
}

/** How far the days of each account are there, from its first to `day`. */
export async function readCoverage(
  warehouse: Queries,
  accountIds: readonly number[],
  day: Day,
): Promise<AccountCoverage[]> {
  const { rows } = await warehouse.query<AccountCoverage>(sql`
    select a.label,
      case when a.since > ${day}::date or min(m.day) = a.since then null else coalesce(min(m.day) - 1, ${day}::date) end
        as "completeThrough",
      count(m.day) filter (where m.day < ${day}::date) as missing,
      min(m.day) filter (where m.day < ${day}::date) as "firstMissing",
      max(m.day) filter (where m.day < ${day}::date) as "lastMissing",
      coalesce(array_agg(m.day::text order by m.day) filter (where m.day > ${day}::date - 14), '{}')
        as "recentlyMissing"
    from warehouse.accounts a
    left join lateral (
      select a.since + n as day from generate_series(0, ${day}::date - a.since) n
      where not exists (
        select from etl.windows w
        where w.account_id = a.account_id and w.day = a.since + n and w.state = 'loaded')
    ) m on true
    where a.account_id = any(${accountIds}::integer[]) and a.since is not null
    group by a.account_id
    order by array_position(${accountIds}::integer[], a.account_id)
  `);
  return rows;
}

/** When the service was last asked about the day, by the clock of the database; null if it never answered. */
export async function readAsOf(
  warehouse: Queries,
  accountIds: readonly number[],
  day: Day,
): Promise<string | null> {
  const { rows } = await warehouse.query<{ asOf: string | null }>(sql`
    select max(fetched_at) as "asOf" from etl.windows
    where account_id = any(${accountIds}::integer[]) and day = ${day}
  `);
  return rows[0]!.asOf;
}
