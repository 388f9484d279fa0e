import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Failure } from '../../model/errors.ts';
import type { WalkState, WalkVerdict } from '../../model/walk.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { tableOf, transactionTime } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';
import { endClientRejects } from './rejects.ts';

/** A walk over the client pages of an account. */
export type Walk = {
  readonly id: number;
  readonly accountId: number;
  readonly runDate: Day;
  /** Start of the walk, by the database's clock. */
  readonly startedAt: string;
};

/** Number of newly absent clients, or of missing ones if implausibly many are: then none is marked absent. */
export type Absences = { readonly absent: number; readonly implausible: number };

/** Records the start of a walk. `day` is the day of the balances, in the account's zone. */
export async function beginWalk(
  warehouse: Queries,
  walk: Omit<Walk, 'id'> & { readonly runId: number; readonly day: Day },
): Promise<Walk> {
  const { id } = await warehouse
    .insertInto('etl.walks')
    .values({
      run_id: walk.runId,
      account_id: walk.accountId,
      run_date: walk.runDate,
      day: walk.day,
      started_at: walk.startedAt,
    })
    .returning('walk_id as id')
    .executeTakeFirstOrThrow();
  return { ...walk, id };
}

/** Records that a walk isn't complete, why, and the error that ended it; null if none did. */
export async function recordIncompleteWalk(
  warehouse: Queries,
  walkId: number,
  verdict: Exclude<WalkVerdict, 'complete'>,
  reason: string | null,
  error: Pick<Failure, 'code' | 'status' | 'sign'> | null,
  remarks: readonly string[] = [],
): Promise<void> {
  await warehouse
    .updateTable('etl.walks')
    .set({
      verdict,
      reason,
      error_code: error?.code ?? null,
      error_status: error?.status ?? null,
      signs: [...remarks, ...(error?.sign == null ? [] : [error.sign])],
    })
    .where('walk_id', '=', walkId)
    .execute();
}

/**
 * Records a complete walk, and marks the clients absent that it and a complete walk of an earlier run date missed. If over half of the
 * list is missing, it marks none: that is more often an error of the service than news.
 *
 * @param seen ids of the clients that it listed; null if the client of some record is unknown
 */
export async function recordCompleteWalk(
  warehouse: Warehouse,
  walk: Walk,
  seen: ReadonlySet<number> | null,
): Promise<Absences> {
  return await inTransaction(warehouse, async (transaction) => {
    await transaction
      .updateTable('warehouse.accounts')
      .set({ clients_walked_at: walk.startedAt })
      .where('account_id', '=', walk.accountId)
      .execute();
    let absent = 0;
    let implausible = 0;
    if (seen !== null) {
      const seenIds = tableOf([...seen], 's', { id: ['bigint', (id) => id] });
      const { rows } = await sql<{ present: number; missed: number[] }>`
        select count(*) as present,
          coalesce(array_agg(c.client_id::float8) filter (where s.id is null), '{}') as missed
        from warehouse.clients c left join ${seenIds} on s.id = c.client_id
        where c.account_id = ${walk.accountId} and c.absent_at is null
      `.execute(transaction);
      const { present, missed } = rows[0]!;
      if (missed.length * 2 > present) implausible = missed.length;
      else absent = await recordAbsences(transaction, walk, missed);
    }
    await endClientRejects(transaction, walk);
    await transaction
      .updateTable('etl.walks')
      .set({
        verdict: 'complete',
        implausible_missing: implausible,
        decided_at: transactionTime,
      })
      .where('walk_id', '=', walk.id)
      .execute();
    return { absent, implausible };
  });
}

/** Records the missed clients, and returns how many of them became absent. */
async function recordAbsences(
  transaction: Transaction,
  { accountId, startedAt, runDate }: Walk,
  missed: readonly number[],
): Promise<number> {
  const missedIds = tableOf(missed, 'm', { id: ['bigint', (id) => id] });
  // The row of an absent client stays until the client is listed again.
  await sql`
    delete from etl.missed_clients a
    using warehouse.clients c left join ${missedIds} on m.id = c.client_id
    where a.account_id = ${accountId} and c.account_id = a.account_id and c.client_id = a.client_id
      and c.absent_at is null
      and (a.absent_decided_at is not null or m.id is null)
  `.execute(transaction);
  const { numAffectedRows } = await sql`
    with noted as (
      update etl.missed_clients set absent_decided_at = ${startedAt}::timestamptz
      where account_id = ${accountId} and missed_run_date < ${runDate}::date and absent_decided_at is null
      returning account_id, client_id, missed_at)
    update warehouse.clients c set absent_at = n.missed_at, updated_at = ${transactionTime}
    from noted n where c.account_id = n.account_id and c.client_id = n.client_id
  `.execute(transaction);
  await sql`
    insert into etl.missed_clients (account_id, client_id, missed_run_date, missed_at)
    select ${accountId}::integer, m.id, ${runDate}::date, ${startedAt}::timestamptz from ${missedIds}
    on conflict (account_id, client_id) do nothing
  `.execute(transaction);
  return Number(numAffectedRows);
}

/** Reads the state of the walks of each account that hasn't retired, by its name. */
export async function readWalkStates(queries: Queries): Promise<ReadonlyMap<string, WalkState>> {
  const rows = await queries
    .selectFrom('etl.walk_states')
    .select([
      'account',
      'verdict',
      'run_date as runDate',
      'reason',
      'error_code as errorCode',
      'error_status as errorStatus',
      'signs',
      'complete_at as completeAt',
      'complete_run_date as completeRunDate',
      'incomplete_since as incompleteSince',
      'incomplete_run_dates as incompleteRunDates',
      'implausible_missing as implausibleMissing',
      'implausible_since as implausibleSince',
    ])
    .execute();
  return new Map(rows.map(({ account, ...state }) => [account, state]));
}
