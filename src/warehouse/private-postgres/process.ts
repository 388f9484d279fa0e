import { execFile, spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** A user of the system that Postgres runs as; `undefined` stands for our own. */
export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/** A process as it can be known again: pids are given out anew, so the moment it began belongs to it. */
export interface ProcessMark {
  pid: number;
  began: string;
}

/** What `postmaster.pid` tells of the server that uses a data folder. */
export interface RunningPostmaster {
  mark: ProcessMark;
  port: number;
}

/** A server that was spawned: `ended` says how it exited, if it did, and `said` what it wrote to its log. */
export interface Attempt {
  pid: number | undefined;
  ended: string | undefined;
  said: () => Promise<string>;
}

// Nothing of our environment reaches Postgres: PGPORT and its kin would change what it does.
// Its messages stay English, so that they can be told apart.
const surroundings = { cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };

const identity = (user: SystemUser | undefined) => (user ? { uid: user.uid, gid: user.gid } : {});

/** How a server `ended` that was told to stop. */
export const stoppedInOrder = 'exit code 0';

/** Runs a program to its end, as `user`; resolves with what it printed. */
export async function runAs(user: SystemUser | undefined, program: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { ...surroundings, ...identity(user) });
  return stdout;
}

/**
 * Spawns a server that outlives us unless it is stopped: Ctrl-C goes to the terminal's process group,
 * and the server must not be gone before our connections are.
 */
export function spawnPostmaster(
  program: string,
  args: string[],
  logFile: string,
  user: SystemUser | undefined,
): Attempt {
  const log = openSync(logFile, 'a', 0o600);
  const start = fstatSync(log).size;
  const child = spawn(program, args, {
    ...surroundings,
    ...identity(user),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  const attempt: Attempt = {
    pid: child.pid,
    ended: undefined,
    said: async () => (await readFile(logFile)).subarray(start).toString(),
  };
  child.once('error', (error) => {
    attempt.ended = error.message;
  });
  child.once('exit', (code, signal) => {
    attempt.ended = signal ? `ended by ${signal}` : `exit code ${code}`;
  });
  return attempt;
}

/** Stops a server: fast (its sessions are ended, its data written), and at once if that takes too long. */
export async function stopPostmaster(mark: ProcessMark): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!isRunning(mark)) return;
    try {
      process.kill(mark.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    if (await hasEnded(mark, 15_000)) return;
  }
  throw new Error(`the private Postgres, process ${mark.pid}, does not stop: end it by hand`);
}

async function hasEnded(mark: ProcessMark, patience: number): Promise<boolean> {
  const deadline = Date.now() + patience;
  while (isRunning(mark)) {
    if (Date.now() > deadline) return false;
    await delay(10);
  }
  return true;
}

/** Marks a process by its pid; `undefined` when it isn't running, a zombie included. */
export function processMark(pid: number): ProcessMark | undefined {
  if (!isPidTaken(pid)) return undefined;
  try {
    // The command's name, in parentheses, may hold anything; what follows it is fields 3 and up.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const [state, began] = [fields[0], fields[19]];
    return state === 'Z' || state === 'X' ? undefined : { pid, began: began ?? '' };
  } catch {
    return { pid, began: '' }; // No /proc here: the pid alone has to do.
  }
}

/** Whether the process that was marked is still running. */
export function isRunning(mark: ProcessMark): boolean {
  return isSame(processMark(mark.pid), mark);
}

/** Whether both marks are of one process. */
export function isSame(one: ProcessMark | undefined, other: ProcessMark): boolean {
  return one?.pid === other.pid && one.began === other.began;
}

function isPidTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The server that uses the data folder now; `last` is the one known from before. */
export async function runningPostmaster(
  data: string,
  last: ProcessMark | undefined,
): Promise<RunningPostmaster | undefined> {
  const lock = await readLock(data);
  const mark = lock && markOfPostmaster(lock.pid, last);
  return lock && mark && { mark, port: lock.port };
}

/**
 * Removes a lock file that a crash left behind and that Postgres would honour for ever:
 * when its pid is a zombie's, or now another process's. Other stale ones Postgres sets aside by itself.
 */
export async function dropFalseLock(data: string, last: ProcessMark | undefined): Promise<void> {
  const lock = await readLock(data);
  if (lock && isPidTaken(lock.pid) && !markOfPostmaster(lock.pid, last)) await rm(lockFile(data));
}

function markOfPostmaster(pid: number, last: ProcessMark | undefined): ProcessMark | undefined {
  const mark = processMark(pid);
  return mark && last?.pid === pid && !isSame(mark, last) ? undefined : mark;
}

const lockFile = (data: string) => join(data, 'postmaster.pid');

async function readLock(data: string): Promise<{ pid: number; port: number } | undefined> {
  try {
    const lines = (await readFile(lockFile(data), 'utf8')).split('\n');
    const [pid, port] = [Number(lines[0]), Number(lines[3])];
    return pid > 0 && port > 0 ? { pid, port } : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
