import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Reject } from '../../model/records.ts';
import type { Queries } from '../db/database.ts';

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
  // Text can't hold U+0000 either; its escape is as good a trace.
  const payloads = rejects.map(({ payload }) => payload.replaceAll('\0', '\\u0000'));
  const reasons = rejects.map(({ reason }) => reason);
  await sql`
    insert into etl.rejects (run_id, account_id, operation, day, payload, reason)
    select ${source.runId}::bigint, ${source.accountId}::integer, ${source.operation}::text, ${source.day}::date,
      payload, reason
    from unnest(${payloads}::text[], ${reasons}::text[]) r (payload, reason)
  `.execute(warehouse);
}
