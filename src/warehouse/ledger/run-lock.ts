import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { connect, ownSearchPath, replyTimeoutMs } from '../db/connection.ts';
import type { Queries } from '../db/database.ts';
import type { Sockets } from '../db/sockets.ts';
import { lockLost, noneBesideLock } from '../failures.ts';

/**
 * Of `pg_locks l`: what keeps a run from taking the run lock. To read the table, as pg_dump does, keeps none from it; to
 * lock it needs a right that only its owner has, unlike an advisory lock, which any role may take.
 */
export const runLockHeld = sql<boolean>`
  l.locktype = 'relation' and l.granted and l.mode <> 'AccessShareLock' and l.relation = 'etl.run_lock'::regclass
  and l.database = (select oid from pg_database where datname = current_database())`;

export type RunLock = {
  /** Aborted when the lock is lost, for then another run may start. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
};

/** How often the connection that holds the lock is checked, and how long its reply may take. */
export type Heartbeat = { readonly everyMs: number; readonly replyTimeoutMs: number };

const defaultHeartbeat: Heartbeat = { everyMs: 10_000, replyTimeoutMs: 10_000 };

/**
 * Takes the run lock (design, *Run lock*), or gives null where somebody else holds it.
 * An open transaction holds it: it survives PgBouncer's transaction pooling, where it takes one of the server's
 * connections, and the server frees it when the connection dies. It saves work only; correctness rests on the stale rule.
 */
export async function takeRunLock(
  url: string,
  heartbeat: Heartbeat = defaultHeartbeat,
): Promise<RunLock | null> {
  const client = await connect(url, heartbeat.replyTimeoutMs);
  try {
    if (await tryLock(client)) return hold(client, heartbeat.everyMs);
    await client.query('rollback');
  } catch (error) {
    await client.end();
    throw error;
  }
  await client.end();
  return null;
}

/** SQLSTATE of a lock that somebody else holds. */
const lockNotAvailable = '55P03';

async function tryLock(client: pg.Client): Promise<boolean> {
  // In any other isolation level the transaction keeps its first snapshot, and vacuum from what was deleted since.
  // An operator's bounds on idle transactions are meant for forgotten ones. What holds the lock of a machine that
  // vanished is a forgotten one: the server finds that out within a minute, and not after its default of two hours.
  await client.query(`
    begin isolation level read committed;
    set local search_path to ${ownSearchPath};
    select set_config(name, bound, true)
    from (values ('idle_in_transaction_session_timeout', '0'), ('transaction_timeout', '0'),
      ('tcp_keepalives_idle', '30'), ('tcp_keepalives_interval', '10'), ('tcp_keepalives_count', '3')) as b (name, bound)
    join pg_settings using (name)`);
  try {
    await client.query('lock table etl.run_lock in exclusive mode nowait');
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === lockNotAvailable) return false;
    throw error;
  }
}

function hold(client: pg.Client, everyMs: number): RunLock {
  const lost = new AbortController();
  let released = false;
  let beating: Promise<unknown> | null = null;
  // A connection that dies reports that at once; one whose other end vanished doesn't.
  // One at a time: pg takes no second query while the first is open.
  const beat = setInterval(() => {
    beating ??= client
      .query('select 1')
      .catch(() => lose('fell silent'))
      .finally(() => {
        beating = null;
      });
  }, everyMs);
  beat.unref();
  const lose = (how: 'died' | 'fell silent') => {
    clearInterval(beat);
    if (!released) lost.abort(lockLost(how));
  };
  client.on('error', () => lose('died'));
  client.on('end', () => lose('died'));
  return {
    lost: lost.signal,
    async release() {
      released = true;
      clearInterval(beat);
      await beating;
      // Free from here on: behind a pooler, the end of the connection alone would free it some time later.
      if (!lost.signal.aborted) await client.query('rollback').catch(() => {});
      await client.end();
    },
  };
}

/**
 * Binds the connections of the work to the lock: with the lock they end, whatever they wait for, and beside the lock
 * there is at least one.
 */
export async function bindToLock(lock: RunLock, warehouse: Queries, sockets: Sockets): Promise<void> {
  lock.lost.addEventListener('abort', () => sockets.cut(lock.lost.reason), { once: true });
  const timer = setTimeout(() => sockets.cut(noneBesideLock()), replyTimeoutMs);
  try {
    await sql`select 1`.execute(warehouse);
  } catch (error) {
    await lock.release();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The run that holds the run lock: recorded since the lock was taken, not one that died before; null if none was. */
export type LockHolder = {
  readonly run: { readonly id: number; readonly host: string; readonly startedAt: string } | null;
};

/** Who holds the run lock now; null if nobody does. */
export async function readLockHolder(warehouse: Queries): Promise<LockHolder | null> {
  const { rows } = await sql<LockHolder>`
    select case when r.run_id is not null
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
