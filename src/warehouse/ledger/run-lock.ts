import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { Failure } from '../../model/errors.ts';
import { connect, type DatabaseAddress, ownSearchPath } from '../db/connection.ts';
import type { Queries } from '../db/database.ts';

/**
 * Matches the rows of `pg_locks l` that keep a run from taking the run lock. A reader's lock, such as pg_dump's,
 * isn't matched. Locking this view needs a right on it; any role may take an advisory lock.
 */
export const runLockHeld = sql<boolean>`
  l.locktype = 'relation' and l.granted and l.mode <> 'AccessShareLock' and l.relation = 'etl.run_lock'::regclass
  and l.database = (select oid from pg_database where datname = current_database())`;

export type RunLock = {
  /** Aborted when the lock is lost: another run may start then. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
};

/**
 * Takes the run lock; returns null if another session holds it. An open transaction holds
 * the lock. With PgBouncer's transaction pooling, it occupies one server connection. The server frees the lock
 * when the connection dies. The lock only saves work: correctness rests on the stale rule.
 */
export async function takeRunLock(address: DatabaseAddress): Promise<RunLock | null> {
  const client = await connect(address);
  try {
    // At any other isolation level the transaction keeps its first snapshot, so that vacuum can't remove rows deleted
    // since. An operator's timeouts for transactions don't apply: this transaction is idle on purpose. If this machine
    // vanishes, the keepalives let the server notice within a minute instead of two hours.
    await client.query(`
      begin isolation level read committed;
      set local search_path to ${ownSearchPath};
      select set_config(name, bound, true)
      from (values ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'),
        ('tcp_keepalives_idle', '30'), ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '3')) as b (name, bound)
      join pg_settings using (name)`);
    await client.query('lock table etl.run_lock in exclusive mode nowait');
  } catch (error) {
    const isHeld = (error as { code?: unknown }).code === lockNotAvailable;
    if (isHeld) await client.query('rollback').catch(() => {});
    await client.end();
    if (isHeld) return null;
    throw error;
  }
  const lost = new AbortController();
  let released = false;
  const lose = () => {
    if (released) return;
    // Another run may start at any time.
    lost.abort(new Failure('WAREHOUSE_UNAVAILABLE', 'the connection that held the run lock died'));
  };
  client.on('error', lose);
  client.on('end', lose);
  return {
    lost: lost.signal,
    async release() {
      released = true;
      // This frees the lock at once: behind a pooler, closing the connection alone would free it later.
      if (!lost.signal.aborted) await client.query('rollback').catch(() => {});
      await client.end();
    },
  };
}

/** SQLSTATE of a lock that another session holds. */
const lockNotAvailable = '55P03';

/** Looks so often for the row of a run that has just taken the lock, 100 ms apart. */
const maxAttempts = 50;

/** Returns the run that holds the run lock; null if there is none. Throws a Failure if a session holds it that is no run of ours. */
export async function findLockHolder(warehouse: Queries) {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { rows } = await sql<{
      run: { readonly id: number; readonly host: string; readonly startedAt: string } | null;
    }>`
      select case when r.run_id is not null
        then jsonb_build_object('id', r.run_id, 'host', r.host, 'startedAt', r.started_at::text) end as run
      from pg_locks l
      left join pg_stat_activity a using (pid)
      left join etl.runs r on r.exclusive and r.finished_at is null and r.started_at >= a.xact_start
      where ${runLockHeld}
      order by r.run_id desc nulls last limit 1
    `.execute(warehouse);
    const [holder] = rows;
    if (holder === undefined) return null;
    if (holder.run !== null) return holder.run;
    await delay(100);
  }
  throw new Failure(
    'WAREHOUSE_UNAVAILABLE',
    'no run can start: another session of Postgres holds the run lock, and no run is recorded as running',
    {
      advice:
        "if it is no run of ours, end it: select pg_terminate_backend(pid) from pg_stat_activity join pg_locks using (pid) where datname = current_database() and relation = 'etl.run_lock'::regclass and granted",
    },
  );
}
