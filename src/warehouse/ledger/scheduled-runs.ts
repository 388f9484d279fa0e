import { sql } from 'kysely';
import type { ScheduledRun } from '../../model/run.ts';
import type { Queries } from '../db/database.ts';
import { runLockHeld } from './run-lock.ts';

/** What is known of the run of a scheduled time. */
export async function readScheduledRun(
  warehouse: Queries,
  scheduledFor: Temporal.Instant,
): Promise<ScheduledRun> {
  const { rows } = await sql<ScheduledRun>`
    select
      (select min(timestamp)::timestamptz from etl.migrations) as "installedAt",
      case when r.run_id is null then 'none' else r.outcome end as outcome,
      exists (
        select from pg_locks l where ${runLockHeld}
      ) as "lockHeld"
    from (values (${scheduledFor.toString()}::timestamptz)) as s (scheduled_for)
    left join etl.runs r using (scheduled_for)
  `.execute(warehouse);
  return rows[0]!;
}
