import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { ErrorCode, Failure } from '../../model/errors.ts';
import type { WalkOutcome } from '../../model/walk.ts';
import type { Queries, Transaction, Warehouse } from '../db/database.ts';
import { tableOf, transactionTime } from '../db/expressions.ts';
import { inTransaction } from '../db/transaction.ts';

/** A walk over the client pages of an account. */
export type Walk = {
  readonly id: number;
  readonly accountId: number;
  /** Clock of the database when it began. */
  readonly startedAt: string;
  readonly runDate: Day;
};

/** A walk that saw the whole list of an account. */
export type CompleteWalk = Walk & {
  /** Ids of every client that it saw; null where a record may have been anybody's. */
  readonly seen: ReadonlySet<number> | null;
  /** Whether each of them was loaded, so that they are present. */
  readonly allLoaded: boolean;
  /** Whether it brought anything new. */
  readonly changed: boolean;
};

/** How many clients are absent from now on; or how many were missing, where so many can't be believed. */
export type Absences = { readonly absent: number; readonly unbelievable: number };

/** Records a walk that begins. `day` is the day, in the account's zone, of the balances. */
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

/** Records how a walk ended that proves nothing, why, and which error ended it; `repeated` where the same run walks again. */
export async function failWalk(
  warehouse: Queries,
  { id }: Walk,
  outcome: Exclude<WalkOutcome, 'complete'> | 'repeated',
  problem: string,
  code: ErrorCode | null,
): Promise<void> {
  await warehouse
    .updateTable('etl.walks')
    .set({ outcome, problem, error_code: code })
    .where('walk_id', '=', id)
    .execute();
}

/** Records a walk that an error ended, if before its first page. */
export async function recordBrokenWalk(
  warehouse: Warehouse,
  walk: Pick<Walk, 'accountId' | 'runDate'> & { readonly runId: number; readonly day: Day },
  { code, line }: Pick<Failure, 'code' | 'line'>,
): Promise<void> {
  await inTransaction(warehouse, async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('etl.walks')
      .set({ outcome: 'incomplete', problem: line, error_code: code })
      .where((eb) => eb.and({ run_id: walk.runId, account_id: walk.accountId }))
      .where('outcome', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return;
    await transaction
      .insertInto('etl.walks')
      .values({
        run_id: walk.runId,
        account_id: walk.accountId,
        run_date: walk.runDate,
        day: walk.day,
        started_at: transactionTime,
        outcome: 'incomplete',
        problem: line,
        error_code: code,
      })
      .execute();
  });
}

/**
 * Records a complete walk: clients that it missed, and that a complete walk of an earlier run date missed, too, are
 * absent from then on. Not when over half would go: that is more often an error of the service than news.
 */
export async function recordCompleteWalk(warehouse: Warehouse, walk: CompleteWalk): Promise<Absences> {
  return await inTransaction(warehouse, async (transaction) => {
    const absences = await applyCompleteWalk(transaction, walk);
    await transaction
      .updateTable('etl.walks')
      .set({
        outcome: 'complete',
        unbelievable: absences.unbelievable,
        decided_at: transactionTime,
      })
      .where('walk_id', '=', walk.id)
      .execute();
    return absences;
  });
}

/** Applies a complete walk: who is absent, and when the account was walked. */
export async function applyCompleteWalk(transaction: Transaction, walk: CompleteWalk): Promise<Absences> {
  await recordWalk(transaction, walk);
  if (walk.seen === null) return { absent: 0, unbelievable: 0 };
  const present = await countPresent(transaction, walk.accountId);
  // As many as were seen, and all of these are among them: nobody is missing.
  const complete = walk.allLoaded && present === walk.seen.size;
  const missed = complete ? [] : await missedClients(transaction, walk.accountId, walk.seen);
  if (missed.length * 2 > present) return { absent: 0, unbelievable: missed.length };
  return { absent: await recordAbsences(transaction, walk, missed), unbelievable: 0 };
}

async function countPresent(transaction: Transaction, accountId: number): Promise<number> {
  const { present } = await transaction
    .selectFrom('warehouse.clients')
    .select((eb) => eb.fn.countAll<number>().as('present'))
    .where('account_id', '=', accountId)
    .where('absent_since', 'is', null)
    .executeTakeFirstOrThrow();
  return present;
}

/** The whole list may be a million. */
const chunkSize = 20_000;

/** Of the clients that are present, those that the walk missed. */
async function missedClients(
  transaction: Transaction,
  accountId: number,
  seen: ReadonlySet<number>,
): Promise<number[]> {
  const missed: number[] = [];
  for (let last = -1; ; ) {
    const rows = await transaction
      .selectFrom('warehouse.clients')
      .select('client_id as id')
      .where('account_id', '=', accountId)
      .where('client_id', '>', last)
      .where('absent_since', 'is', null)
      .orderBy('client_id')
      .limit(chunkSize)
      .execute();
    for (const { id } of rows) if (!seen.has(id)) missed.push(id);
    if (rows.length < chunkSize) return missed;
    last = rows.at(-1)!.id;
  }
}

async function recordAbsences(
  transaction: Transaction,
  { accountId, startedAt, runDate }: CompleteWalk,
  missed: readonly number[],
): Promise<number> {
  const missedIds = tableOf(missed, 'm', { id: ['bigint', (id) => id] });
  await sql`
    delete from etl.client_absences a
    where account_id = ${accountId} and not exists (select from ${missedIds} where m.id = a.client_id)
  `.execute(transaction);
  const { numUpdatedRows } = await transaction
    .updateTable('warehouse.clients as c')
    .from('etl.client_absences as a')
    .set((eb) => ({ absent_since: eb.ref('a.missed_at'), absent_noted_at: startedAt }))
    .whereRef('c.account_id', '=', 'a.account_id')
    .whereRef('c.client_id', '=', 'a.client_id')
    .where('a.account_id', '=', accountId)
    .where('a.missed_run_date', '<', runDate)
    .where('c.absent_since', 'is', null)
    .executeTakeFirst();
  await sql`
    insert into etl.client_absences (account_id, client_id, missed_run_date, missed_at)
    select ${accountId}::integer, m.id, ${runDate}::date, ${startedAt}::timestamptz from ${missedIds}
    on conflict (account_id, client_id) do nothing
  `.execute(transaction);
  return Number(numUpdatedRows);
}

/** A second walk of the same run date that changed nothing leaves the account's row as it is. */
async function recordWalk(transaction: Transaction, walk: CompleteWalk): Promise<void> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('etl.client_walks')
    .values({ account_id: walk.accountId, walked_run_date: walk.runDate })
    .onConflict((conflict) =>
      conflict
        .column('account_id')
        .doUpdateSet({ walked_run_date: walk.runDate })
        .whereRef('etl.client_walks.walked_run_date', '<', 'excluded.walked_run_date'),
    )
    .executeTakeFirstOrThrow();
  if (!walk.changed && numInsertedOrUpdatedRows === 0n) return;
  await transaction
    .updateTable('warehouse.accounts')
    .set({ clients_walked_at: walk.startedAt })
    .where('account_id', '=', walk.accountId)
    .execute();
}
