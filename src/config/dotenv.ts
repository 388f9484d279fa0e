import { readFileSync } from 'node:fs';
import { exitCode } from '../model/exit-code.ts';
import { settingsFile } from './environment.ts';
import { settingNames } from './schema.ts';
import { fileErrors } from './written.ts';

// `npm start` loads this first: the variables of `.env`, where there is one, beside those that are set, which win. Node's
// own `--env-file-if-exists` reports each start without a `.env`, and cuts a value at a # that others keep.
const file = settingsFile();
const errors = load(file);
for (const error of errors) process.stderr.write(`callsheet: ${file}${error}\n`);
if (errors.length > 0) process.exit(exitCode.configuration);

/** Sets the variables of the file, where there is one; what is wrong with it. */
function load(path: string): string[] {
  try {
    const errors = fileErrors(readFileSync(path, 'utf8'), isOurs).map((error) => `, ${error}`);
    if (errors.length === 0) process.loadEnvFile(path);
    return errors;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? [] : [` can't be read (${code}): check what it is, and the rights to it`];
  }
}

/** Lines of others, with whom a file may be shared, are left to them. */
function isOurs(name: string): boolean {
  return settingNames.includes(name) || /^(SIDTOKEN|PG[A-Z]+$)/.test(name);
}
