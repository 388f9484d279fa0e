import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Reject } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';
import { tableOf } from '../db/expressions.ts';

/** Puts records that couldn't be read into quarantine. */
export async function quarantine(
  warehouse: Queries,
  source: {
    readonly runId: number;
    readonly accountId: number;
    readonly operation: string;
    readonly day: Day | null;
  },
  rejects: readonly Reject[],
): Promise<void> {
  if (rejects.length === 0) return;
  const records = tableOf(rejects, 'r', {
    // Text can't hold U+0000 either; its escape is as good a trace.
    payload: ['text', ({ payload }) => payload.replaceAll('\0', '\\u0000')],
    reason: ['text', ({ reason }) => reason],
  });
  await sql`
    insert into etl.rejects (run_id, account_id, operation, day, payload, reason)
    select ${source.runId}::bigint, ${source.accountId}::integer, ${source.operation}::text, ${source.day}::date,
      payload, reason
    from ${records}
  `.execute(warehouse);
}
