import { sql } from 'kysely';
import type { Queries } from './db/database.ts';
import type { RunOutcome } from './db/tables.ts';
import { runLockHeld } from './run-lock.ts';

/** What the warehouse knows of a slot of the schedule. */
export type SlotEntry = {
  /** When the warehouse was set up. */
  readonly installedAt: string;
  /** How its run ended; `none` where there is no run, null where it hasn't ended, for all that it could write down. */
  readonly outcome: RunOutcome | 'none' | null;
  /** Whether anybody holds the run lock, in this moment. */
  readonly lockHeld: boolean;
};

export async function readSlot(warehouse: Queries, slot: Temporal.Instant): Promise<SlotEntry> {
  const { rows } = await sql<SlotEntry>`
    select
      (select min(timestamp)::timestamptz from etl.migrations) as "installedAt",
      case when r.run_id is null then 'none' else r.outcome end as outcome,
      exists (
        select from pg_locks l where ${runLockHeld}
      ) as "lockHeld"
    from (values (${slot.toString()}::timestamptz)) as s (slot)
    left join etl.runs r using (slot)
  `.execute(warehouse);
  return rows[0]!;
}
