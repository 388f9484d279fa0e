import { readFileSync } from 'node:fs';
import { exitCode } from '../model/exit-code.ts';
import { settingsFile } from './environment.ts';
import { settingNames } from './schema.ts';
import { fileErrors } from './written.ts';

// `npm start` loads this first: the variables of `.env`, where there is one, beside those that are set, which win. Node's
// own `--env-file-if-exists` reports each start without a `.env`, and cuts a value at a # that others keep.
const file = settingsFile();
const errors = errorsOf(file);
if (errors === null || errors.length === 0) {
  if (errors !== null) process.loadEnvFile(file);
} else {
  for (const error of errors) process.stderr.write(`callsheet: ${file}${error}\n`);
  process.exit(exitCode.configuration);
}

/** What is wrong with the file; null where there is none. */
function errorsOf(path: string): string[] | null {
  try {
    return fileErrors(readFileSync(path, 'utf8'), isOurs).map((error) => `, ${error}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? null : [` can't be read (${code}): check what it is, and the rights to it`];
  }
}

/** Lines of others, with whom a file may be shared, are left to them. */
function isOurs(name: string): boolean {
  return settingNames.includes(name) || /^(SIDTOKEN|PG[A-Z]+$)/.test(name);
}
