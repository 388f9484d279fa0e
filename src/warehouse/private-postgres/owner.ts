import { lchown, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning, isSame, type ProcessMark, processMark, type RunningPostmaster } from './process.ts';

/** Kept beside the data from start to start: the port, which server it was, and whose. */
export interface ServerRecord {
  port: number;
  postmaster: ProcessMark;
  owner: ProcessMark;
}

/**
 * Makes a running server ours, unless the process it belongs to is alive: so the server of a killed process
 * finds a new owner. For one caller at a time.
 */
export async function claim(path: string, { mark, port }: RunningPostmaster): Promise<boolean> {
  const record = await readRecord(path);
  if (record && isSame(record.postmaster, mark) && isRunning(record.owner)) return false;
  const owner = processMark(process.pid);
  if (!owner) throw new Error('this process is not listed among the running ones');
  await writeRecord(path, { port, postmaster: mark, owner });
  return true;
}

/** The record of the server that ran last in this folder. */
export async function readRecord(path: string): Promise<ServerRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(path, 'server.json'), 'utf8'));
  } catch (error) {
    // It is only a memory: without it, or with a broken one, the server is found all the same.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeRecord(path: string, record: ServerRecord): Promise<void> {
  const [kept, fresh] = [join(path, 'server.json'), join(path, 'server.json.new')];
  await writeFile(fresh, JSON.stringify(record), { mode: 0o600 });
  if (process.getuid?.() === 0) {
    // Root at work in a user's clone must not lock that user out.
    const { uid, gid } = await stat(path);
    for (const own of [fresh, join(path, 'server.log')]) await lchown(own, uid, gid);
  }
  await rename(fresh, kept);
}
