import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Files that settings are in, with the hash of what was last read there; null if that failed. */
const filesRead = new Map<string, string | null>();

export function readFileOfSettings(file: string): Buffer {
  const absolute = path.resolve(file);
  filesRead.set(absolute, null);
  const bytes = readFileSync(absolute);
  filesRead.set(absolute, hash('sha256', bytes));
  return bytes;
}

/** Returns the files that have other contents than those that were last read, since `forgetFiles`. */
export const changedFiles = (): string[] =>
  [...filesRead].flatMap(([file, content]) => (contentOf(file) === content ? [] : file));

export const forgetFiles = (): void => filesRead.clear();

function contentOf(file: string): string | null {
  try {
    return hash('sha256', readFileSync(file));
  } catch {
    return null;
  }
}
