import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { missing, searched } from './pgbouncer.ts';

/** Fails before any test of `peers` where their program is missing. */
export function setup(): void {
  const found = searched.split(path.delimiter).some((folder) => isProgram(path.join(folder, 'pgbouncer')));
  if (!found) throw new Error(missing);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
