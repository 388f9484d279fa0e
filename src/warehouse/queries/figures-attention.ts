import { type Expression, type NotNull, type SqlBool, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Attention, ClientBalance, ClientNews } from '../../model/digest.ts';
import type { DigestKey } from '../../model/period.ts';
import type { Queries, Transaction } from '../db/database.ts';
import { anyOf } from '../db/expressions.ts';

/** The period of news: after the last digest was built, until this one was; null if a digest wasn't built. */
export type NewsPeriod = { readonly since: string | null; readonly until: string | null };

/** Reads when the digest of that name before this one was built, and when this one was; null if never. */
export async function readNewsPeriod(queries: Queries, { name, every, day }: DigestKey): Promise<NewsPeriod> {
  const built = queries
    .selectFrom('etl.digests')
    .where('name', '=', name)
    .where('every', '=', every)
    .where('kind', '=', 'first')
    .where('state', '=', 'built')
    .where('sent_with', 'is', null);
  const last = built.select((eb) => eb.fn.max('built_at').as('at')).where('day', '<', day);
  const own = built.select('built_at').where('day', '=', day);
  return await queries.selectNoFrom([last.as('since'), own.as('until')]).executeTakeFirstOrThrow();
}

/** Reads the days up to `day` for which a newer response is held. */
export async function readHeld(
  queries: Queries,
  accountIds: readonly number[],
  day: Day,
): Promise<Attention['held']> {
  return await queries
    .selectFrom('etl.windows as w')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'w.account_id')
    .select(['a.label', 'w.day', 'w.held_since as since'])
    .where('w.account_id', '=', anyOf(accountIds))
    .where('w.day', '<=', day)
    .where('w.held_hash', 'is not', null)
    .orderBy('w.day')
    .orderBy('a.label')
    .$narrowType<{ since: NotNull }>()
    .execute();
}

/** Reads those of `days` that are probably not what they seem, with a row for each reason. */
export async function readSuspicious(
  queries: Queries,
  accountIds: readonly number[],
  days: readonly Day[],
): Promise<Attention['suspicious']> {
  return await queries
    .selectFrom('etl.suspicious_windows as s')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 's.account_id')
    .select(['a.label', 's.day', 's.reason', 's.detail'])
    .where('s.account_id', '=', anyOf(accountIds))
    .where('s.day', '=', anyOf(days))
    .orderBy('s.day')
    .orderBy('a.label')
    .orderBy('s.reason')
    .execute();
}

/** Reads the clients first listed in the period, except those of an account whose whole list is new. */
export async function readNewClients(
  queries: Queries,
  accountIds: readonly number[],
  period: NewsPeriod,
): Promise<readonly ClientNews[]> {
  const { since } = period;
  if (since === null) return [];
  return await clientNews(queries, accountIds)
    .where((eb) => isWithin(eb.ref('c.first_seen_at'), period))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('warehouse.clients as k')
          .whereRef('k.account_id', '=', 'c.account_id')
          .where('k.first_seen_at', '<=', since),
      ),
    )
    .execute();
}

/** Reads the clients that were recorded as absent in the period. */
export async function readVanishedClients(
  queries: Queries,
  accountIds: readonly number[],
  period: NewsPeriod,
): Promise<readonly ClientNews[]> {
  if (period.since === null) return [];
  return await clientNews(queries, accountIds)
    .where('c.absent_since', 'is not', null)
    .where((eb) => isWithin(eb.ref('c.absent_noted_at'), period))
    .execute();
}

function isWithin(timestamp: Expression<string | null>, { since, until }: NewsPeriod) {
  return sql<SqlBool>`(${timestamp} > coalesce(${since}::timestamptz, '-infinity')
    and ${timestamp} <= coalesce(${until}::timestamptz, 'infinity'))`;
}

const clientName = sql<string>`coalesce(nullif(btrim(c.name), ''), '#' || c.client_id)`;

/** Counts clients by account, with the names of the first five. */
function clientNews(queries: Queries, accountIds: readonly number[]) {
  return queries
    .selectFrom('warehouse.clients as c')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'c.account_id')
    .select((eb) => [
      'a.label',
      eb.fn.countAll<number>().as('count'),
      sql<string[]>`(array_agg(${clientName} order by c.client_id))[1:5]`.as('names'),
    ])
    .where('c.account_id', '=', anyOf(accountIds))
    .groupBy('a.account_id')
    .orderBy('a.label');
}

/** Number of low balances that a digest shows. */
const shownBalances = 10;

/** Reads the lowest balances below the limit, and the number of all below it. */
export async function readLowBalances(
  queries: Queries,
  accountIds: readonly number[],
  limit: number | null,
): Promise<Pick<Attention, 'lowBalances' | 'lowBalanceCount'>> {
  if (limit === null) return { lowBalances: [], lowBalanceCount: 0 };
  const rows = await lowBalances(queries, accountIds, limit)
    .select((eb) => eb.fn.countAll<number>().over().as('count'))
    .limit(shownBalances)
    .execute();
  return {
    lowBalances: rows.map(({ label, name, balance }) => ({ label, name, balance })),
    lowBalanceCount: rows[0]?.count ?? 0,
  };
}

/** Streams all balances below the limit from a cursor, the lowest first. */
export function streamLowBalances(
  snapshot: Transaction,
  accountIds: readonly number[],
  limit: number,
): AsyncIterable<ClientBalance> {
  return lowBalances(snapshot, accountIds, limit).stream(1_000);
}

function lowBalances(queries: Queries, accountIds: readonly number[], limit: number) {
  return queries
    .selectFrom('warehouse.clients as c')
    .innerJoin('warehouse.accounts as a', 'a.account_id', 'c.account_id')
    .select(['a.name as account', 'a.label', 'c.client_id as clientId', clientName.as('name'), 'c.balance'])
    .where('c.account_id', '=', anyOf(accountIds))
    .where('c.absent_since', 'is', null)
    .where('c.balance', '<', sql<string>`${limit}::numeric`)
    .orderBy('c.balance')
    .orderBy('c.account_id')
    .orderBy('c.client_id')
    .$narrowType<{ balance: NotNull }>();
}
