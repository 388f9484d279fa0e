import { type NotNull, type RawBuilder, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Attention, ClientNews, DigestDefinition } from '../../model/digest.ts';
import { daysOf, type Period } from '../../model/period.ts';
import type { Queries } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';
import { isDelivered } from '../outbox/deliveries.ts';
import { readSameCampaigns } from './same-campaigns.ts';

/**
 * Reads what needs attention in a digest about a period: of all its accounts, and by `names` of those that are part of the period.
 *
 * @param since when the figures of its last mail were read; null before the first: then nothing is news
 */
export async function readAttention(
  queries: Queries,
  digest: DigestDefinition,
  accountIds: readonly number[],
  names: readonly string[],
  period: Period,
  since: string | null,
): Promise<Attention> {
  // Clients that are gone again are none.
  const isNewClient = sql`c.first_seen_at > ${since} and not coalesce(${isNoted(sql`n.absent_decided_at is not null`)}, false)`;
  const isVanished = sql`c.absent_at is not null and c.first_seen_at <= ${since} and ${isNoted(sql`n.absent_decided_at > ${since}`)}`;
  return {
    ...(await readAccountNews(queries, digest, accountIds, period.to)),
    held: await readHeld(queries, accountIds, period.to, since),
    newClients: await readClientNews(queries, accountIds, since, isNewClient),
    vanishedClients: await readClientNews(queries, accountIds, since, isVanished),
    lowBalances: await readLowBalances(queries, accountIds, digest.lowBalance, since),
    known: await readKnownAnomalies(queries, accountIds, period),
    sameCampaigns: await readSameCampaigns(queries, names, daysOf(period)),
  };
}

/** Reads the accounts of a digest that none of its mails has yet, and those that its last one had and that it has no more. */
async function readAccountNews(
  queries: Queries,
  { name, every }: DigestDefinition,
  accountIds: readonly number[],
  day: Day,
): Promise<Pick<Attention, 'newAccounts' | 'goneAccounts'>> {
  const { rows } = await sql<Pick<Attention, 'newAccounts' | 'goneAccounts'>>`
    with last as materialized (
      select m.mail_id, m.day from etl.mails m
      where m.name = ${name} and m.every = ${every} and m.correction = 0 and ${isDelivered(sql`m.mail_id`)}
      order by m.number desc limit 1)
    select
      array(
        select a.label from warehouse.accounts a
        where a.account_id = any(${accountIds}::integer[]) and a.first_expected_day <= ${day}
          and exists (select from last) and not exists (
            select from etl.mailed_periods p
            where p.account_id = a.account_id and p.name = ${name} and p.every = ${every} and ${isDelivered(sql`p.mail_id`)})
        order by a.label) as "newAccounts",
      array(
        select a.label from last join etl.mailed_periods p using (mail_id, day) join warehouse.accounts a using (account_id)
        where a.account_id <> all(${accountIds}::integer[])
        order by a.label) as "goneAccounts"
  `.execute(queries);
  return rows[0]!;
}

/** Reads the days up to `day` for which a newer response is held; new if it was held since the last mail. */
async function readHeld(
  queries: Queries,
  accountIds: readonly number[],
  day: Day,
  since: string | null,
): Promise<Attention['held']> {
  return await queries
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select([
      'a.label',
      'w.day',
      'w.held_since as since',
      sql<boolean>`w.held_since > coalesce(${since}::timestamptz, '-infinity')`.as('isNew'),
    ])
    .where('w.account_id', '=', anyOf(accountIds))
    .where('w.day', '<=', day)
    .where('w.held_hash', 'is not', null)
    .orderBy('w.day')
    .orderBy('a.label')
    .$narrowType<{ since: NotNull }>()
    .execute();
}

/** Reads the anomalies of figures that a person accepted for good, of the newest day of the period with one of that code. */
async function readKnownAnomalies(
  queries: Queries,
  accountIds: readonly number[],
  { from, to }: Period,
): Promise<Attention['known']> {
  const { rows } = await sql<Attention['known'][number]>`
    select distinct on (a.label, a.account_id, k.anomaly ->> 'code') a.label, k.anomaly
    from etl.windows w
    join warehouse.accounts a using (account_id)
    cross join lateral jsonb_array_elements(w.anomalies) k (anomaly)
    where w.account_id = ${anyOf(accountIds)} and w.day between ${from} and ${to} and w.state = 'loaded'
      and k.anomaly ->> 'confirmedBy' = 'always' and k.anomaly ->> 'code' not in ('remark', 'empty')
    order by a.label, a.account_id, k.anomaly ->> 'code', w.day desc
  `.execute(queries);
  return rows;
}

/** Tests the record `n` of an absence of client `c`; null if there is none. */
const isNoted = (condition: RawBuilder<unknown>) => sql`(
  select ${condition} from etl.missed_clients n where n.account_id = c.account_id and n.client_id = c.client_id)`;

const clientName = sql<string>`coalesce(nullif(btrim(c.name), ''), '#' || c.client_id)`;

/**
 * Counts the clients `c` that are news, with the names of the first five, for each account that listed any before the last mail.
 * Without statistics, a join of clients compares each with each: these are sub-selects by key and by account.
 */
async function readClientNews(
  queries: Queries,
  accountIds: readonly number[],
  since: string | null,
  isNews: RawBuilder<unknown>,
): Promise<readonly ClientNews[]> {
  if (since === null) return [];
  const { rows } = await sql<ClientNews>`
    select a.label, n.count, n.names
    from warehouse.accounts a
    cross join lateral (
      select count(*) as count, (array_agg(${clientName} order by c.client_id))[1:5] as names
      from warehouse.clients c where c.account_id = a.account_id and ${isNews}) n
    where a.account_id = any(${accountIds}::integer[]) and n.count > 0
      and exists (select from warehouse.clients k where k.account_id = a.account_id and k.first_seen_at <= ${since})
    order by a.label
  `.execute(queries);
  return rows;
}

/** Number of new low balances that a digest names. */
const namedBalances = 5;

/**
 * Counts the balances below the limit, and those that weren't below it at the last mail; reads the lowest of these.
 * Without an earlier mail none is new.
 */
export async function readLowBalances(
  queries: Queries,
  accountIds: readonly number[],
  limit: number | null,
  since: string | null,
): Promise<Attention['lowBalances']> {
  if (limit === null) return { count: 0, newCount: 0, lowest: [] };
  const { rows } = await sql<Attention['lowBalances']>`
    with clients as (
      select a.label, c.*, (${since}::timestamptz at time zone a.time_zone)::date as day_of_last
      from warehouse.clients c join warehouse.accounts a using (account_id)
      where c.account_id = any(${accountIds}::integer[]) and c.absent_at is null
        and c.balance < ${limit}::numeric),
    low as (
      select c.label, ${clientName} as name, c.balance, c.account_id, c.client_id,
        c.updated_at > ${since}::timestamptz and c.balance_first_day >= c.day_of_last and not coalesce((
          select p.balance < ${limit}::numeric from etl.past_client_balances p
          where p.account_id = c.account_id and p.client_id = c.client_id
            and p.day < c.balance_first_day and p.day <= c.day_of_last
          order by p.next_day desc limit 1), false) as is_new
      from clients c),
    lowest as (
      select * from low where is_new order by balance, account_id, client_id limit ${namedBalances})
    select (select count(*) from low) as count, (select count(*) from low where is_new) as "newCount",
      coalesce((select jsonb_agg(jsonb_build_object('label', label, 'name', name, 'balance', balance::text)
        order by balance, account_id, client_id) from lowest), '[]') as lowest
  `.execute(queries);
  return rows[0]!;
}
