import { sql } from 'kysely';
import type { AccountTotals, DigestFigures, SpanSums } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';
import { type Days, readSums } from './sums.ts';

/** An account of a digest by its key: every query uses the primary key's prefix (account, day). */
export type DigestAccount = {
  readonly id: number;
  readonly name: string;
  readonly label: string;
};

/** Reads the named accounts that the warehouse knows, in the order of the names. */
export async function readDigestAccounts(
  queries: Queries,
  names: readonly string[],
): Promise<DigestAccount[]> {
  const inOrder = sql<{ name: string; place: number }>`unnest(${names}::text[]) with ordinality`;
  return await queries
    .selectFrom(inOrder.as<'n'>(sql`n (name, place)`))
    .innerJoin('warehouse.accounts as a', 'a.name', 'n.name')
    .select(['a.account_id as id', 'a.name', 'a.label'])
    .orderBy('n.place')
    .execute();
}

/** Reads the totals of a period, one for each named account, in the order of the names. */
export async function readAccountTotals(
  queries: Queries,
  accounts: readonly string[],
  { from, to }: Days,
): Promise<AccountTotals[]> {
  const sums = await readSums(
    queries,
    accounts.map((name) => ({ accounts: [name], from, to })),
  );
  const missing = (column: string) =>
    sql`count(distinct d.callset_id) filter (where d.${sql.ref(column)} is null)`;
  // Campaigns of several days count once, so no row of a day has these.
  const { rows } = await sql<Omit<AccountTotals, keyof SpanSums>>`
    select n.name as account, coalesce(a.label, n.name) as label, a.first_expected_day as since, (
        select w.error_code from etl.windows w
        where w.account_id = a.account_id and w.day between ${from}::date and ${to}::date and w.failed_at is not null
        order by w.day desc limit 1) as error, c.*
    from unnest(${accounts}::text[]) with ordinality n (name, place)
    left join warehouse.accounts a using (name)
    cross join lateral (
      select count(distinct d.callset_id) as campaigns,
        count(distinct d.callset_id) - count(distinct d.callset_id) filter (where d.attempts is distinct from 0) as idle,
        jsonb_build_object(
          'attempts', ${missing('attempts')}, 'busies', ${missing('busies')},
          'connects', ${missing('connects')}, 'liveAnswers', ${missing('live_answers')}) as unreported
      from etl.campaign_days d
      where d.account_id = a.account_id and d.day between ${from}::date and ${to}::date and d.withdrawn_at is null) c
    order by n.place
  `.execute(queries);
  return rows.map((row, index) => ({ ...row, ...sums[index]! }));
}

/**
 * Reads through which day of the period, or before it, all accounts of these names are complete, when a day of it was last fetched for
 * an account of the digest, and the time of the snapshot.
 */
export async function readFreshness(
  queries: Queries,
  accountIds: readonly number[],
  names: readonly string[],
  { from, to }: Days,
): Promise<Pick<DigestFigures, 'completeThrough' | 'asOf' | 'readAt'>> {
  const { rows } = await sql<Pick<DigestFigures, 'completeThrough' | 'asOf' | 'readAt'>>`
    select now() as "readAt",
      (select case when count(complete_through_day) = ${new Set(names).size} then least(min(complete_through_day), ${to}::date) end
       from warehouse.freshness where account = any(${names}::text[])) as "completeThrough",
      (select max(fetched_at) from etl.windows
       where account_id = any(${accountIds}::integer[]) and day between ${from}::date and ${to}::date) as "asOf"
  `.execute(queries);
  return rows[0]!;
}
