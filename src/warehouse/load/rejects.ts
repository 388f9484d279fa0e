import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Reject } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';
import { noneOf, tableOf } from '../db/expressions.ts';

/** The response that held the records. `day` is null for clients. */
export type RejectSource = {
  readonly runId: number;
  readonly accountId: number;
  readonly operation: string;
  readonly day: Day | null;
};

/**
 * Puts records that couldn't be read into quarantine. If an identical record is already there, it gets the
 * newest reason and time, and each run date counts once.
 */
export async function quarantine(
  warehouse: Queries,
  source: RejectSource,
  rejects: readonly Reject[],
): Promise<void> {
  if (rejects.length === 0) return;
  const records = tableOf(distinctRecords(rejects), 'r', {
    payload: ['text', ({ payload }) => payload],
    payload_sha256: ['bytea', ({ sha256 }) => sha256],
    reason: ['text', ({ reason }) => reason],
  });
  await sql`
    insert into etl.rejects as q
      (run_id, account_id, operation, day, payload, payload_sha256, reason, last_run_date)
    select n.run_id, ${source.accountId}::integer, ${source.operation}::text, ${source.day}::date,
      payload, payload_sha256, reason, n.run_date
    from ${records} join etl.runs n on n.run_id = ${source.runId}
    on conflict (account_id, operation, day, payload_sha256) do update set
      payload = coalesce(q.payload, excluded.payload),
      reason = excluded.reason,
      last_rejected_at = excluded.last_rejected_at,
      last_run_date = greatest(q.last_run_date, excluded.last_run_date),
      run_dates = q.run_dates + (excluded.last_run_date > q.last_run_date)::integer
  `.execute(warehouse);
}

/** Deletes the rejects of a window's newest response that can be read by now. */
export async function releaseReadable(
  warehouse: Queries,
  { accountId, operation, day, fetchedAt }: Omit<RejectSource, 'runId'> & { readonly fetchedAt: string },
  rejects: readonly Reject[],
): Promise<void> {
  await warehouse
    .deleteFrom('etl.rejects')
    .where((eb) => eb.and({ account_id: accountId, operation, day }))
    .where('last_rejected_at', '>', fetchedAt)
    .where('payload_sha256', '<>', noneOf(distinctRecords(rejects).map(({ sha256 }) => sha256)))
    .execute();
}

type DistinctReject = Pick<Reject, 'payload' | 'reason'> & { readonly sha256: Buffer };

/** Returns each record once, sorted by hash: the same order in all transactions prevents deadlocks. */
function distinctRecords(rejects: readonly Reject[]): DistinctReject[] {
  const byHash = new Map<string, DistinctReject>();
  for (const { payload, reason } of rejects) {
    // Text can't hold U+0000 either: its escape is stored instead.
    const text = payload.replaceAll('\0', '\\u0000');
    const sha256 = createHash('sha256').update(text).digest();
    byHash.set(sha256.toString('hex'), { payload: text, reason, sha256 });
  }
  return [...byHash.keys()].sort().map((hash) => byHash.get(hash)!);
}
