import { existsSync, readFileSync } from 'node:fs';
import { chmod, chown, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { type KeptPostgres, keepPostgres } from '../support/postgres-keeper.ts';
import { scratchFolder } from '../support/scratch.ts';

const programs = process.env.TEST_POSTGRES_BIN;

/** What each server of these tests is started with. */
export const common = { ...(programs ? { binaries: programs } : {}), settings: { fsync: 'off' } };

/** A clone's folder, removed at the end of the test with the data that belongs to it. */
export async function freshDirectory(mode = 0o711): Promise<string> {
  const directory = await scratchFolder('callsheet-private-');
  await chmod(directory, mode);
  onTestFinished(() => removeWithData(directory));
  return directory;
}

let used: Promise<string> | undefined;

/**
 * The folder of one clone, as earlier tests left it, with no server running: preparing one takes a second or two.
 * Removed by `removeUsed`.
 */
export function usedDirectory(): Promise<string> {
  used ??= scratchFolder('callsheet-private-').then(async (directory) => {
    const server = await keepPostgres({ directory, ...common });
    await server.stop();
    return directory;
  });
  return used;
}

/** Removes the folder that `usedDirectory` made, if it did. */
export async function removeUsed(): Promise<void> {
  if (used) await removeWithData(await used);
  used = undefined;
}

async function removeWithData(directory: string): Promise<void> {
  const place = await realpath(join(directory, 'postgres')).catch(() => directory);
  await rm(place, { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
}

/** Starts a server from a process of its own, on any port unless one is given; it is stopped at the end of the test, at the latest. */
export async function start(directory: string, port?: string): Promise<KeptPostgres> {
  const settings = port === undefined ? common.settings : { ...common.settings, port };
  const server = await keepPostgres({ directory, ...common, settings });
  onTestFinished(server.stop);
  return server;
}

/** The one value, called `value`, that a statement returns. */
export async function queryValue(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(statement)).rows[0]?.value;
  } finally {
    await client.end();
  }
}

/** The pid of the server's main process. */
export async function postmasterOf(server: { directory: string }): Promise<number> {
  return Number.parseInt(await readFile(join(server.directory, 'data', 'postmaster.pid'), 'utf8'), 10);
}

/** Whether a process runs; a zombie doesn't. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync('/proc/self') || readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

/** Kills the server outright, as a crash would; resolves with the pid it had, once its sessions are cut. */
export async function killServer(server: KeptPostgres): Promise<number> {
  const pid = await postmasterOf(server);
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  client.on('error', () => {});
  const cut = new Promise((resolve) => client.once('end', resolve));
  process.kill(pid, 'SIGKILL');
  await cut;
  return pid;
}

/** Ends a server whose starter was killed. */
export async function endServer(server: KeptPostgres): Promise<void> {
  const pid = await postmasterOf(server);
  process.kill(pid, 'SIGINT');
  await expect.poll(() => isAlive(pid)).toBe(false);
}

/** Makes another user the owner of a folder and all that lies in it. */
export async function giveAway(folder: string, uid: number): Promise<void> {
  await chown(folder, uid, uid);
  for (const entry of await readdir(folder, { recursive: true })) await chown(join(folder, entry), uid, uid);
}
