import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { openPostgresFolder, type PostgresFolder, type PrivatePostgresOptions } from './folder.ts';
import { unusable } from './programs.ts';
import {
  isRunning,
  type RunningServer,
  readServer,
  releaseLock,
  startServer,
  stopServer,
  unusableServer,
} from './server.ts';

export interface PrivatePostgres {
  /** The database `callsheet`. Holds the password. */
  url: string;
  /** The same server's database `postgres`. Holds the password. */
  adminUrl: string;
  /** The folder that really holds the data; elsewhere than asked where root's clone is closed to others. */
  directory: string;
  /** Whether `stop` ends the server: it was started here, or taken over from a process that died. */
  startedHere: boolean;
  stop(): Promise<void>;
}

const startTimeout = 60_000;

/**
 * Starts the private Postgres of a clone, or uses the one that runs there already.
 * Throws a configuration Failure that says what failed, where, and what to do.
 */
export async function startPrivatePostgres(options: PrivatePostgresOptions): Promise<PrivatePostgres> {
  try {
    return await reachServer(await openPostgresFolder(options), options);
  } catch (error) {
    // What files and programs fail with; the rest is a Failure, or a bug.
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
    const action = error.code === 'EACCES' ? 'run as the user the folder belongs to' : 'fix this';
    throw unusable(`no private Postgres in ${options.directory}: ${error.message}`, action);
  }
}

/** Whoever comes second waits for the first one's server: Postgres lets only one use the data. */
async function reachServer(
  folder: PostgresFolder,
  { settings }: PrivatePostgresOptions,
): Promise<PrivatePostgres> {
  const deadline = Date.now() + startTimeout;
  for (;;) {
    releaseLock(folder);
    if (!(await isRunning(folder))) await startServer(folder, settings);
    const server = readServer(folder);
    const result = server && (await connect(folder, server).catch((error: Error) => error));
    if (result && !(result instanceof Error)) return result;
    // A wrong password stays wrong.
    const isFinal = result instanceof pg.DatabaseError && result.code === '28P01';
    if (isFinal || Date.now() > deadline) throw unusableServer(folder, result?.message ?? 'it did not start');
    await delay(50);
  }
}

/** Connects to a running server, and settles whose it is. */
async function connect(folder: PostgresFolder, server: RunningServer): Promise<PrivatePostgres> {
  const address = `postgres://callsheet:${folder.password}@127.0.0.1:${server.port}`;
  const adminUrl = `${address}/postgres`;
  const socket = new Socket();
  const client = new pg.Client({
    connectionString: adminUrl,
    stream: () => socket,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 20_000,
  });
  client.on('error', () => {}); // What breaks the connection also rejects the query.
  let startedHere = false;
  try {
    await client.connect();
    startedHere = await claim(client);
  } finally {
    if (!startedHere) await client.end();
  }
  socket.unref(); // It keeps the server ours, not the process alive.

  async function stop(): Promise<void> {
    if (startedHere) await stopServer(folder, server);
    await client.end();
  }
  return { url: `${address}/callsheet`, adminUrl, directory: folder.home, startedHere, stop };
}

/**
 * Creates the database if need be, and makes the server ours unless a living process owns it: the owner is the
 * session that holds a lock, so a killed process owns nothing.
 */
async function claim(client: pg.Client): Promise<boolean> {
  const key = "hashtext('callsheet: private Postgres')";
  await client.query(`select pg_advisory_lock(${key}, 1)`); // One starter after the other.
  const known = await client.query("select from pg_database where datname = 'callsheet'");
  if (known.rowCount === 0) await client.query('create database callsheet');
  const { rows } = await client.query(`select pg_try_advisory_lock(${key}, 2) as is_owner`);
  await client.query(`select pg_advisory_unlock(${key}, 1)`);
  return rows[0].is_owner;
}
