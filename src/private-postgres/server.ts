import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresFolder } from './folder.ts';
import { spawnAs, unusable } from './programs.ts';

/** The server that uses a data folder. */
export interface RunningServer {
  pid: number;
  port: number;
  /** Differs from server to server, also where the pid is the same. */
  identity: string;
}

const stopTimeout = 60_000;

// What fails while another process starts or stops the server, or takes the port: worth another attempt.
const retryable =
  /lock file .* (already exists|is empty)|pre-existing shared memory|could not bind|received fast shutdown/;

/** Whether a server uses the data, be it ready or not. */
export async function isRunning(folder: PostgresFolder): Promise<boolean> {
  return (await pgCtl(folder, 'status')) === 0;
}

/** What the server that uses the data wrote of itself; `undefined` without one. */
export function readServer({ data }: PostgresFolder): RunningServer | undefined {
  const [pid, , startedAt, port] = readIfThere(path.join(data, 'postmaster.pid')).split('\n');
  if (!(Number(port) > 0)) return undefined;
  return { pid: Number(pid), port: Number(port), identity: `${pid} ${startedAt}` };
}

/**
 * Starts the server and waits until it is ready, through the recovery after a crash. Returns without one where another
 * process starts or stops it at the same time; throws a configuration Failure where Postgres doesn't start.
 */
export async function startServer(
  folder: PostgresFolder,
  settings: Record<string, string | number> = {},
): Promise<void> {
  const all = {
    listen_addresses: '127.0.0.1',
    port: await choosePort(folder),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
  const logged = readIfThere(folder.log).length;
  const code = await pgCtl(folder, 'start', '-w', '-t', '300', '-l', folder.log, '-o', options.join(' '));
  if (code === 0 || retryable.test(readIfThere(folder.log).slice(logged))) return;
  throw unusableServer(folder, `pg_ctl start: exit code ${code}`, logged);
}

/**
 * Stops this server, its sessions included, and no other that runs in its place after a crash.
 * Throws a configuration Failure where it goes on running.
 */
export async function stopServer(folder: PostgresFolder, server: RunningServer): Promise<void> {
  const isThis = () => readServer(folder)?.identity === server.identity;
  if (!isThis()) return;
  // pg_ctl would wait for the next server, too, where another process starts that at once.
  await pgCtl(folder, 'stop', '-W', '-m', 'fast');
  const deadline = Date.now() + stopTimeout;
  while (isPostgres(server.pid) || (isThis() && (await isRunning(folder)))) {
    if (Date.now() > deadline) throw unusableServer(folder, 'pg_ctl stop: it is still running');
    await delay(20);
    releaseLock(folder);
  }
}

/** Runs pg_ctl to its end; resolves with its exit code. */
async function pgCtl(folder: PostgresFolder, command: string, ...args: string[]): Promise<number | null> {
  const program = path.join(folder.programs, 'pg_ctl');
  // The server would hold a pipe open.
  const child = spawnAs(folder.user, program, [command, '-s', '-D', folder.data, ...args], 'ignore');
  const [code, signal] = await once(child, 'exit');
  // Ctrl-C can still reach it in the instant before it is detached.
  return signal === 'SIGINT' ? await pgCtl(folder, command, ...args) : code;
}

/** The error of a server that can't be used, with the last lines of its log that it wrote after `start`. */
export function unusableServer({ home, log }: PostgresFolder, reason: string, start = 0): Error {
  const end = readIfThere(log).slice(start).trim().split('\n').slice(-8).join('\n');
  return unusable(
    `the private Postgres in ${home} can't be used (${reason}): see ${log}\n${end}`,
    'fix this',
  );
}

/**
 * Makes a lock file stale that a crash left behind and whose pid is now a zombie's or another program's: Postgres and
 * pg_ctl would honour it for ever. They handle a pid that is free themselves.
 */
export function releaseLock({ data }: PostgresFolder): void {
  const file = path.join(data, 'postmaster.pid');
  const lock = readIfThere(file);
  const pid = Number.parseInt(lock, 10);
  if (!existsSync(`/proc/${pid}`) || isPostgres(pid)) return;
  // With a pid that no system gives out; by the rest Postgres finds sessions that outlived their server.
  writeFileSync(file, lock.replace(/^\d+/, '99999999'));
}

/** Whether a process is one of Postgres: no zombie is, and none is known to be without /proc. */
function isPostgres(pid: number): boolean {
  const [command = ''] = readIfThere(`/proc/${pid}/cmdline`).split('\0');
  return path.basename(command) === 'postgres' || command.startsWith('postgres: ');
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    // ESRCH: the process ended while its file in /proc was read.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** A free port of 127.0.0.1: the last one again, if it can be, which Postgres keeps among its options. */
async function choosePort({ data }: PostgresFolder): Promise<number> {
  const [, last] = /port=(\d+)/.exec(readIfThere(path.join(data, 'postmaster.opts'))) ?? [];
  return await probePort(Number(last ?? 0)).catch(() => probePort(0));
}

async function probePort(port: number): Promise<number> {
  const probe = createServer().listen(port, '127.0.0.1');
  await once(probe, 'listening');
  const { port: found } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return found;
}
