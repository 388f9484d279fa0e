import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import type { DatabaseSession } from '../failures.ts';
import { runLockHeld } from './run-lock.ts';

/** Who holds the run lock. */
export type LockHolder = DatabaseSession & {
  /** The run that was recorded since the lock was taken, not one that died before; null where none was. */
  readonly run: { readonly id: number; readonly host: string; readonly startedAt: string } | null;
};

/** Who holds the run lock now; null where nobody does. */
export async function readLockHolder(warehouse: Queries): Promise<LockHolder | null> {
  const { rows } = await sql<LockHolder>`
    select l.pid, a.usename as "user", nullif(a.application_name, '') as application, a.xact_start as since,
      case when r.run_id is not null
        then jsonb_build_object('id', r.run_id, 'host', r.host, 'startedAt', r.started_at::text) end as run
    from pg_locks l
    left join pg_stat_activity a using (pid)
    left join etl.runs r on r.exclusive and r.finished_at is null and r.started_at >= a.xact_start
    where ${runLockHeld}
    order by r.run_id desc nulls last limit 1
  `.execute(warehouse);
  return rows[0] ?? null;
}

/** How long a run may take from its lock to its row, in attempts a tenth of a second apart. */
const maxAttempts = 50;

/** The same, once a run that took the lock just now has had the time to be recorded. */
export async function findLockHolder(warehouse: Queries): Promise<LockHolder | null> {
  for (let attempt = 1; ; attempt++) {
    const holder = await readLockHolder(warehouse);
    if (holder === null || holder.run !== null || attempt === maxAttempts) return holder;
    await delay(100);
  }
}
