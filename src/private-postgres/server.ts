import { once } from 'node:events';
import { constants, existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { openPostgresFolder, type PostgresFolder, type PrivatePostgresOptions } from './folder.ts';
import { exitCodeOf, runAs, unusable } from './programs.ts';

export type PrivatePostgres = {
  /** The database `callsheet`. Holds the password. */
  readonly url: string;
  /** The same server's database `postgres`. Holds the password. */
  readonly adminUrl: string;
  /** The folder that really holds the data; elsewhere than requested where root's clone is closed to others. */
  readonly directory: string;
  /** Whether `stop` ends the server: it was started here, or taken over from a process that died. */
  readonly startedHere: boolean;
  stop(): Promise<void>;
};

/** The server that uses a data folder. `startedAt` distinguishes servers with the same pid. */
type RunningServer = { readonly pid: number; readonly startedAt: string; readonly port: number };

/** To reach a server, and to end one. */
const timeoutMs = 60_000;

// What fails while another process starts or stops the server, or takes the port: worth another attempt.
const retryable =
  /lock file .* (already exists|is empty)|pre-existing shared memory|could not bind|received fast shutdown/;

/**
 * Starts the private Postgres of a clone, or uses the one that runs there already: Postgres lets only one use the data.
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

async function reachServer(
  folder: PostgresFolder,
  { settings }: PrivatePostgresOptions,
): Promise<PrivatePostgres> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    await releaseLock(folder);
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

/**
 * Starts the server and waits until it is ready, through the recovery after a crash. Returns without one where another
 * process starts or stops it at the same time; throws a configuration Failure where Postgres doesn't start.
 */
async function startServer(
  folder: PostgresFolder,
  settings: PrivatePostgresOptions['settings'],
): Promise<void> {
  // The last port again, if it can be: Postgres keeps it among its options.
  const [, last] = /port=(\d+)/.exec(readIfPresent(path.join(folder.data, 'postmaster.opts'))) ?? [];
  const all = {
    listen_addresses: '127.0.0.1',
    port: await freePort(Number(last ?? 0)).catch(() => freePort(0)),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
  const logged = readIfPresent(folder.log).length;
  const code = await pgCtl(folder, 'start', '-w', '-t', '300', '-l', folder.log, '-o', options.join(' '));
  if (code === 0 || retryable.test(readIfPresent(folder.log).slice(logged))) return;
  throw unusableServer(folder, `pg_ctl start: exit code ${code}`, logged);
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
    // Where it goes on running, its goodbye is waited for.
    socket.ref();
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

/**
 * Stops this server, its sessions included, and no other that runs in its place after a crash.
 * Throws a configuration Failure where it goes on running.
 */
async function stopServer(folder: PostgresFolder, server: RunningServer): Promise<void> {
  const isThis = () => isDeepStrictEqual(readServer(folder), server);
  if (!isThis()) return;
  // pg_ctl would wait for the next server, too, where another process starts that at once.
  await pgCtl(folder, 'stop', '-W', '-m', 'fast');
  const deadline = Date.now() + timeoutMs;
  while (isPostgres(server.pid) || (isThis() && (await isRunning(folder)))) {
    if (Date.now() > deadline) throw unusableServer(folder, 'pg_ctl stop: it is still running');
    await delay(20);
    await releaseLock(folder);
  }
}

/** Whether a server uses the data, be it ready or not. */
const isRunning = async (folder: PostgresFolder) => (await pgCtl(folder, 'status')) === 0;

async function pgCtl({ programs, data, user }: PostgresFolder, command: string, ...options: string[]) {
  return await exitCodeOf(user, path.join(programs, 'pg_ctl'), [command, '-s', '-D', data, ...options]);
}

/** What the server that uses the data wrote of itself; `undefined` without one. */
function readServer({ data }: PostgresFolder): RunningServer | undefined {
  const [pid, , startedAt, port] = readIfPresent(path.join(data, 'postmaster.pid')).split('\n');
  if (!(Number(port) > 0)) return undefined;
  return { pid: Number(pid), startedAt: startedAt!, port: Number(port) };
}

/** The error of a server that can't be used, with the last lines of its log that it wrote after `start`. */
function unusableServer({ home, log }: PostgresFolder, reason: string, start = 0): Error {
  const end = readIfPresent(log).slice(start).trim().split('\n').slice(-8).join('\n');
  const problem = `the private Postgres in ${home} can't be used (${reason}): see ${log}\n${end}`;
  return unusable(problem, 'fix this');
}

/**
 * Makes a lock file stale that a crash left behind and whose pid is now a zombie's or another program's: Postgres and
 * pg_ctl would honour it for ever. They handle a pid that is free themselves.
 */
async function releaseLock({ data, user }: PostgresFolder): Promise<void> {
  const file = path.join(data, 'postmaster.pid');
  const pid = Number.parseInt(readIfPresent(file), 10);
  if (!existsSync(`/proc/${pid}`) || isPostgres(pid)) return;
  // With a pid that no system gives out; by the rest Postgres finds sessions that outlived their server. As the server's
  // user: the file is in a folder of theirs, and may be a link to one of ours by now.
  await runAs(user, 'sed', ['-i', '1s/^[0-9]*/99999999/', file]);
}

/** Whether a process is one of Postgres: no zombie is, and none is known to be without /proc. */
function isPostgres(pid: number): boolean {
  const [command = ''] = readIfPresent(`/proc/${pid}/cmdline`).split('\0');
  return path.basename(command) === 'postgres' || command.startsWith('postgres: ');
}

/** A file of the server's user, who may be another than ours: no link leads to what only we may read. */
function readIfPresent(file: string): string {
  try {
    return readFileSync(file, { encoding: 'utf8', flag: constants.O_RDONLY | constants.O_NOFOLLOW });
  } catch (error) {
    // ESRCH: the process ended while its file in /proc was read.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** This port of 127.0.0.1, or any for 0; rejects where it is taken. */
async function freePort(port: number): Promise<number> {
  const probe = createServer().listen(port, '127.0.0.1');
  await once(probe, 'listening');
  const { port: found } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return found;
}
