import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import { maxRejects, type QuarantinedRecords, type Reading } from '../../model/records.ts';
import type { Queries, Transaction } from '../db/database.ts';
import { clockTime, noneOf, tableOf } from '../db/expressions.ts';

/** The response that held the records. `day` is null for clients. */
export type RejectSource = {
  readonly runId: number;
  readonly accountId: number;
  readonly operation: string;
  readonly day: Day | null;
};

/** The kept rejects of a response or walk, and the number of all. */
export type Rejected = Pick<Reading<unknown>, 'rejects' | 'rejectCount'>;

/**
 * Puts records that couldn't be read into quarantine, as current ones. If an identical record is already there, it
 * gets the newest reason and time, and each run date counts once.
 */
export async function quarantine(
  warehouse: Queries,
  source: RejectSource,
  rejected: Rejected,
): Promise<void> {
  if (rejected.rejectCount === 0) return;
  const records = tableOf(rowsOf(rejected), 'r', {
    payload: ['text', ({ payload }) => payload],
    payload_sha256: ['bytea', ({ sha256 }) => sha256],
    records: ['integer', (row) => row.records],
    reason: ['text', ({ reason }) => reason],
  });
  await sql`
    insert into etl.rejects as q
      (run_id, account_id, operation, day, payload, payload_sha256, records, reason, last_run_date,
        first_rejected_at, last_rejected_at)
    select n.run_id, ${source.accountId}::integer, ${source.operation}::text, ${source.day}::date,
      payload, payload_sha256, records, reason, n.run_date, ${clockTime}, ${clockTime}
    from ${records} join etl.runs n on n.run_id = ${source.runId}
    on conflict (account_id, operation, day, payload_sha256) do update set
      records = excluded.records,
      reason = excluded.reason,
      current = true,
      last_rejected_at = greatest(q.last_rejected_at, excluded.last_rejected_at),
      last_run_date = greatest(q.last_run_date, excluded.last_run_date),
      run_dates = q.run_dates + (excluded.last_run_date > q.last_run_date)::integer
  `.execute(warehouse);
}

/** The rejects of the response that was decided on replace those of earlier responses for its window. */
export async function replaceRejects(
  transaction: Transaction,
  window: Omit<RejectSource, 'operation'> & Rejected,
): Promise<void> {
  const source = { ...window, operation: 'campaignSummary' };
  await transaction
    .updateTable('etl.rejects')
    .set({ current: false })
    .where((eb) => eb.and({ account_id: window.accountId, day: window.day, current: true }))
    .where('payload_sha256', '<>', noneOf(rowsOf(window).map(({ sha256 }) => sha256)))
    .execute();
  await quarantine(transaction, source, window);
}

/** After a complete walk, only the rejects of clients that it met are current. */
export async function endClientRejects(
  transaction: Transaction,
  { accountId, startedAt }: { readonly accountId: number; readonly startedAt: string },
): Promise<void> {
  await transaction
    .updateTable('etl.rejects')
    .set({ current: false })
    .where((eb) => eb.and({ account_id: accountId, current: true }))
    .where('day', 'is', null)
    .where('last_rejected_at', '<', startedAt)
    .execute();
}

type RejectRow = {
  readonly payload: string | null;
  readonly reason: string;
  readonly records: number;
  readonly sha256: Buffer;
};

/**
 * Returns each kept record once, and a row that counts the others. Sorted by hash: the same order in all
 * transactions prevents deadlocks.
 */
function rowsOf({ rejects, rejectCount }: Rejected): RejectRow[] {
  const byHash = new Map<string, RejectRow>();
  const add = (payload: string | null, reason: string, records: number) => {
    const sha256 = hash('sha256', payload ?? '', 'buffer');
    byHash.set(sha256.toString('hex'), { payload, reason, records, sha256 });
  };
  // Text can't hold U+0000 either: its escape is stored instead.
  for (const { payload, reason } of rejects) add(payload.replaceAll('\0', '\\u0000'), reason, 1);
  const others = rejectCount - rejects.length;
  if (others > 0) add(null, `further records: ${maxRejects} are kept one by one`, others);
  return [...byHash.keys()].sort().map((sha256) => byHash.get(sha256)!);
}

/**
 * Reads the records in quarantine that no later response replaced: those of client lists, and of days from `since` on, by
 * account key, day and reason.
 */
export async function readQuarantined(
  queries: Queries,
  since: Day,
): Promise<(QuarantinedRecords & { readonly accountId: number })[]> {
  return await queries
    .selectFrom('etl.rejects as r')
    .select(({ fn }) => [
      'r.account_id as accountId',
      'r.operation',
      'r.day',
      'r.reason',
      fn.sum<number>('r.records').as('records'),
      fn.min('r.first_rejected_at').as('firstAt'),
      fn.max('r.last_rejected_at').as('latestAt'),
      sql<string | null>`left(min(r.payload), 160)`.as('example'),
    ])
    .where('r.current', '=', true)
    .where((eb) => eb.or([eb('r.day', 'is', null), eb('r.day', '>=', since)]))
    .groupBy(['r.account_id', 'r.operation', 'r.day', 'r.reason'])
    .orderBy('r.day')
    .orderBy(sql`min(r.payload) is null`)
    .orderBy('r.reason')
    .execute();
}
