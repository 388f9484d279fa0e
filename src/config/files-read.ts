import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Files that settings are in, with the hash of what was last read there; null if that failed. */
const filesRead = new Map<string, string | null>();

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a file, without the byte order mark that Windows writes; `notUtf8` is the code of the error if it has none. */
export function readFileOfSettings(file: string, decoder = utf8): string {
  const absolute = path.resolve(file);
  filesRead.set(absolute, null);
  const bytes = readFileSync(absolute);
  filesRead.set(absolute, hash('sha256', bytes));
  return decoder.decode(bytes);
}

/** The text of a file that was read before: it may have changed since, so that it may be no UTF-8 any more. */
export const currentText = (file: string): string => new TextDecoder().decode(readFileSync(file));

export const notUtf8 = 'ERR_ENCODING_INVALID_ENCODED_DATA';

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
