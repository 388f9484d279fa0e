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

const reasons: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'the file would be larger than this process may write',
  EROFS: 'it is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EEXIST: 'it is not a folder',
  ENOTDIR: 'it is not a folder',
  ENOENT: 'there is no such folder',
  EISDIR: 'it has a folder where a file should be written',
};

/** Only errors of the operating system have a `syscall`. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** Returns why nothing can be written to a folder; null if the error isn't one of files. */
export function whyUnwritable(error: unknown): string | null {
  if (!isSystemError(error)) return null;
  return `${reasons[error.code!] ?? error.message} (${error.code})`;
}
