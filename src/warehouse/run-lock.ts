import pg from 'pg';
import { connectionOptions } from './connection.ts';
import { lockLost } from './failures.ts';

/** Any number will do, as long as it stays: "call sheet" on a phone's keys. */
export const lockKey = '2255743381';

const heartbeatMs = 15_000;

export type RunLock = {
  /** Aborted when the lock is lost, for then another run may start. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
};

/**
 * Takes the run lock, or gives null where another run holds it.
 * An open transaction holds it: unlike a session's lock it survives PgBouncer's transaction pooling, and the
 * server frees it when the connection dies. It saves work only; correctness rests on the stale rule.
 */
export async function takeRunLock(url: string): Promise<RunLock | null> {
  const client = new pg.Client(connectionOptions(url));
  const lost = new AbortController();
  let released = false;
  const lose = () => {
    if (!released) lost.abort(lockLost());
  };
  client.on('error', lose);
  client.on('end', lose);
  await client.connect();
  await client.query('begin');
  // An operator's bounds on idle transactions are meant for forgotten ones.
  await client.query(`
    select set_config(name, '0', true) from pg_settings
    where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`);
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as taken', [lockKey]);
  if (!rows[0].taken) {
    released = true;
    await client.end();
    return null;
  }
  // So that a connection that died in silence is found out.
  const heartbeat = setInterval(() => void client.query('select 1').catch(lose), heartbeatMs);
  heartbeat.unref();
  return {
    lost: lost.signal,
    async release() {
      released = true;
      clearInterval(heartbeat);
      await client.end().catch(() => {});
    },
  };
}
