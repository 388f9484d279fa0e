import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const memory = '/dev/shm';
const enoughBytes = 2 * 2 ** 30;

/**
 * Creates a folder for the data of a Postgres; in memory if Linux offers enough, because a new database takes a tenth of
 * the time there. Other users may pass through it: if we are root, the server runs as another user.
 */
export async function scratchFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join((await hasRoom(memory)) ? memory : tmpdir(), prefix));
  await chmod(folder, 0o711);
  return folder;
}

async function hasRoom(folder: string): Promise<boolean> {
  const space = await statfs(folder).catch(() => null);
  return space !== null && space.bavail * space.bsize >= enoughBytes;
}
