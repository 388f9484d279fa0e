import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { AccountTotals, SpanSums } from '../../model/digest.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
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

/** Reads through which day, up to `day`, all of these accounts are complete; null if one isn't through any. */
export async function readCompleteThrough(
  queries: Queries,
  accounts: readonly string[],
  day: Day,
): Promise<Day | null> {
  const { through, complete } = await queries
    .selectFrom('warehouse.freshness')
    .select((eb) => [
      sql<Day | null>`least(min(complete_through_day), ${day}::date)`.as('through'),
      eb.fn.count<number>('complete_through_day').as('complete'),
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
