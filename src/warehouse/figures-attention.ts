import sql, { type Sql } from 'sql-template-tag';
import type { Attention, ClientNews, LowBalance } from '../model/attention.ts';
import type { Day } from '../model/day.ts';
import type { Queries } from './warehouse.ts';

/** The moments between which something is news: after the last digest was built, until this one was, if it was. */
export type NewsPeriod = { readonly since: string | null; readonly until: string | null };

/** When the last digest of that name was built before `day`'s, and when that of `day` itself was; null if never. */
export async function readNewsPeriod(warehouse: Queries, name: string, day: Day): Promise<NewsPeriod> {
  const built = sql`from etl.digests where name = ${name} and kind = 'first' and state = 'built'`;
  const { rows } = await warehouse.query<NewsPeriod>(sql`
    select (select max(built_at) ${built} and day < ${day}) as since,
      (select built_at ${built} and day = ${day}) as until
  `);
  return rows[0]!;
}

/** Days up to `day` of which a newer answer is held back. */
export async function readHeld(
  warehouse: Queries,
  accountIds: readonly number[],
  day: Day,
): Promise<Attention['held']> {
  const { rows } = await warehouse.query<Attention['held'][number]>(sql`
    select a.label, w.day, w.held_since as since
    from etl.windows w join warehouse.accounts a using (account_id)
    where w.account_id = any(${accountIds}::integer[]) and w.day <= ${day} and w.held_hash is not null
    order by w.day, a.label
  `);
  return rows;
}

/** Those of `days` without calls, on a weekday that usually has some. */
export async function readSuspicious(
  warehouse: Queries,
  accountIds: readonly number[],
  days: readonly Day[],
): Promise<Attention['suspicious']> {
  const { rows } = await warehouse.query<Attention['suspicious'][number]>(sql`
    select a.label, s.day
    from etl.suspicious_windows s join warehouse.accounts a using (account_id)
    where s.account_id = any(${accountIds}::integer[]) and s.day = any(${days}::date[])
    order by s.day, a.label
  `);
  return rows;
}

/** Records that couldn't be read: of the campaigns of `day`, and of the client list in the period. */
export async function readQuarantined(
  warehouse: Queries,
  accountIds: readonly number[],
  day: Day,
  { since, until }: NewsPeriod,
): Promise<Attention['quarantined']> {
  const { rows } = await warehouse.query<Attention['quarantined'][number]>(sql`
    select a.label, count(distinct r.payload) filter (where r.day is not null) as campaigns,
      count(distinct r.payload) filter (where r.day is null) as clients
    from etl.rejects r join warehouse.accounts a using (account_id)
    where r.account_id = any(${accountIds}::integer[]) and (r.day = ${day} or (
      r.day is null and r.rejected_at > coalesce(${since}::timestamptz, '-infinity')
      and r.rejected_at <= coalesce(${until}::timestamptz, 'infinity')))
    group by a.account_id order by a.label
  `);
  return rows;
}

/** Clients first listed in the period; not those of an account whose list is itself new. */
export async function readNewClients(
  warehouse: Queries,
  accountIds: readonly number[],
  { since, until }: NewsPeriod,
): Promise<readonly ClientNews[]> {
  if (since === null) return [];
  const known = sql`exists (
    select from warehouse.clients k where k.account_id = c.account_id and k.first_seen_at <= ${since}::timestamptz)`;
  return await clientNews(
    warehouse,
    accountIds,
    sql`${within(sql`c.first_seen_at`, since, until)} and ${known}`,
  );
}

/** Clients of which it was noted in the period that the lists no longer have them. */
export async function readVanishedClients(
  warehouse: Queries,
  accountIds: readonly number[],
  { since, until }: NewsPeriod,
): Promise<readonly ClientNews[]> {
  if (since === null) return [];
  const noted = within(sql`c.absent_noted_at`, since, until);
  return await clientNews(warehouse, accountIds, sql`c.absent_since is not null and ${noted}`);
}

const within = (moment: Sql, since: string, until: string | null) =>
  sql`${moment} > ${since}::timestamptz and ${moment} <= coalesce(${until}::timestamptz, 'infinity')`;

const clientName = sql`coalesce(nullif(btrim(c.name), ''), '#' || c.client_id)`;

async function clientNews(
  warehouse: Queries,
  accountIds: readonly number[],
  condition: Sql,
): Promise<readonly ClientNews[]> {
  const { rows } = await warehouse.query<ClientNews>(sql`
    select a.label, count(*) as count, (array_agg(${clientName} order by c.client_id))[1:5] as names
    from warehouse.clients c join warehouse.accounts a using (account_id)
    where c.account_id = any(${accountIds}::integer[]) and ${condition}
    group by a.account_id order by a.label
  `);
  return rows;
}

/** The ten lowest balances below the bound, and how many there are. */
export async function readLowBalances(
  warehouse: Queries,
  accountIds: readonly number[],
  bound: number | null,
): Promise<Pick<Attention, 'lowBalances' | 'lowBalanceCount'>> {
  if (bound === null) return { lowBalances: [], lowBalanceCount: 0 };
  const { rows } = await warehouse.query<LowBalance & { count: number }>(sql`
    select a.label, ${clientName} as name, c.balance, count(*) over () as count
    from warehouse.clients c join warehouse.accounts a using (account_id)
    where c.account_id = any(${accountIds}::integer[]) and c.absent_since is null and c.balance < ${bound}::numeric
    order by c.balance, c.account_id, c.client_id
    limit 10
  `);
  return {
    lowBalances: rows.map(({ label, name, balance }) => ({ label, name, balance })),
    lowBalanceCount: rows[0]?.count ?? 0,
  };
}
