import type { Day } from '../model/day.ts';
import type { Reject } from '../model/records.ts';
import type { Warehouse } from './tables.ts';

/** Puts records that couldn't be read into quarantine. */
export async function quarantine(
  warehouse: Warehouse,
  source: {
    readonly runId: number;
    readonly accountId: number;
    readonly operation: string;
    readonly day: Day | null;
  },
  rejects: readonly Reject[],
): Promise<void> {
  if (rejects.length === 0) return;
  await warehouse
    .insertInto('etl.rejects')
    .values(
      rejects.map(({ payload, reason }) => ({
        run_id: source.runId,
        account_id: source.accountId,
        operation: source.operation,
        day: source.day,
        // Text can't hold U+0000 either; its escape is as good a trace.
        payload: payload.replaceAll('\0', '\\u0000'),
        reason,
      })),
    )
    .execute();
}
