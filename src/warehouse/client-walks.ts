import sql from 'sql-template-tag';
import type { Day } from '../model/day.ts';
import type { IdSet } from '../support/id-set.ts';
import { inTransaction } from './transaction.ts';
import type { Queries, Transaction, Warehouse } from './warehouse.ts';

/** A walk over the client pages of an account. */
export type Walk = {
  readonly id: number;
  readonly accountId: number;
  /** Clock of the database when it began. */
  readonly startedAt: string;
  readonly night: Day;
};

/** A walk that saw the whole list of an account. */
export type CompleteWalk = Walk & {
  /** Ids of every client that it saw; null where a record may have been anybody's. */
  readonly seen: IdSet | null;
  /** Whether each of them was loaded, so that they are present. */
  readonly allLoaded: boolean;
  /** Whether it brought anything new. */
  readonly changed: boolean;
};

/** How many clients are absent from now on; or how many were missing, where so many can't be believed. */
export type Absences = { readonly absent: number; readonly unbelievable: number };

/** Enters a walk that begins. `day` is the day, in the account's zone, that balances are told on. */
export async function beginWalk(
  warehouse: Queries,
  walk: Omit<Walk, 'id'> & { readonly runId: number; readonly day: Day },
): Promise<Walk> {
  const { rows } = await warehouse.query<{ id: number }>(sql`
    insert into etl.walks (run_id, account_id, night, day, started_at)
    values (${walk.runId}, ${walk.accountId}, ${walk.night}, ${walk.day}, ${walk.startedAt})
    returning walk_id as id
  `);
  return { ...walk, id: rows[0]!.id };
}

/** Notes why a walk proves nothing. */
export async function failWalk(warehouse: Queries, { id }: Walk, problem: string): Promise<void> {
  await warehouse.query(sql`update etl.walks set problem = ${problem} where walk_id = ${id}`);
}

/**
 * Enters a complete walk: clients that it missed, and that a complete walk of an earlier night missed too, are absent
 * from then on. Not when over half would go: that is more often a fault of the service than news.
 */
export async function enterCompleteWalk(warehouse: Warehouse, walk: CompleteWalk): Promise<Absences> {
  return await inTransaction(warehouse, async (transaction) => {
    await transaction.query(
      sql`update etl.walks set complete = true, decided_at = now() where walk_id = ${walk.id}`,
    );
    return await applyCompleteWalk(transaction, walk);
  });
}

/** What a complete walk says of who is absent, and when the account was walked. */
export async function applyCompleteWalk(transaction: Transaction, walk: CompleteWalk): Promise<Absences> {
  await noteWalk(transaction, walk);
  if (walk.seen === null) return { absent: 0, unbelievable: 0 };
  const present = await countPresent(transaction, walk.accountId);
  // As many as were seen, and all of these are among them: nobody is missing.
  const complete = walk.allLoaded && present === walk.seen.size;
  const missed = complete ? [] : await missedClients(transaction, walk.accountId, walk.seen);
  if (missed.length * 2 > present) return { absent: 0, unbelievable: missed.length };
  return { absent: await enterAbsences(transaction, walk, missed), unbelievable: 0 };
}

async function countPresent(transaction: Transaction, accountId: number): Promise<number> {
  const { rows } = await transaction.query<{ present: number }>(sql`
    select count(*) as present from warehouse.clients where account_id = ${accountId} and absent_since is null
  `);
  return rows[0]!.present;
}

/** Clients to a look: in pieces, for the whole list may be a million. */
const pieceOfClients = 20_000;

/** Of the clients that are present, those that the walk missed. */
async function missedClients(transaction: Transaction, accountId: number, seen: IdSet): Promise<number[]> {
  const missed: number[] = [];
  for (let last = -1; ; ) {
    const { rows } = await transaction.query<{ ids: string[] | null }>(sql`
      select array_agg(client_id::text) as ids from (
        select client_id from warehouse.clients
        where account_id = ${accountId} and client_id > ${last} and absent_since is null
        order by client_id limit ${pieceOfClients}) c
    `);
    const ids = (rows[0]!.ids ?? []).map(Number);
    for (const id of ids) if (!seen.has(id)) missed.push(id);
    if (ids.length < pieceOfClients) return missed;
    last = ids.at(-1)!;
  }
}

async function enterAbsences(
  transaction: Transaction,
  { accountId, startedAt, night }: CompleteWalk,
  missed: readonly number[],
): Promise<number> {
  await transaction.query(sql`
    delete from etl.client_absences
    where account_id = ${accountId} and not exists (
      select from unnest(${missed}::bigint[]) m (id) where m.id = client_id)
  `);
  const { rowCount } = await transaction.query(sql`
    update warehouse.clients c set absent_since = a.missed_at, absent_noted_at = ${startedAt}::timestamptz
    from etl.client_absences a
    where a.account_id = ${accountId} and a.missed_night < ${night}::date
      and c.account_id = a.account_id and c.client_id = a.client_id and c.absent_since is null
  `);
  await transaction.query(sql`
    insert into etl.client_absences (account_id, client_id, missed_night, missed_at)
    select ${accountId}::integer, id, ${night}::date, ${startedAt}::timestamptz from unnest(${missed}::bigint[]) id
    on conflict (account_id, client_id) do nothing
  `);
  return rowCount;
}

/** A second walk of the same night that changed nothing leaves the account's row as it is. */
async function noteWalk(transaction: Transaction, walk: CompleteWalk): Promise<void> {
  const { rowCount } = await transaction.query(sql`
    insert into etl.client_walks as w (account_id, walked_night) values (${walk.accountId}, ${walk.night})
    on conflict (account_id) do update set walked_night = excluded.walked_night
      where w.walked_night < excluded.walked_night
  `);
  if (!walk.changed && rowCount === 0) return;
  await transaction.query(sql`
    update warehouse.accounts set clients_walked_at = ${walk.startedAt}::timestamptz
    where account_id = ${walk.accountId}
  `);
}
