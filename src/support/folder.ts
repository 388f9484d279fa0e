import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';

/** Creates a folder that only its owner can open, and its parents. Node's own `recursive` never returns below `/proc`. */
export async function createPrivateFolder(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(directory).isDirectory()) return;
    const parent = path.dirname(path.resolve(directory));
    if (code !== 'ENOENT' || existsSync(parent)) throw error;
    await createPrivateFolder(parent);
    await createPrivateFolder(directory);
  }
}
