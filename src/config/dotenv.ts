import { readFileSync } from 'node:fs';
import path from 'node:path';
import { exitCode } from '../model/exit-code.ts';
import { dotenvVariable, isUtf16, readEnvironment, useDotenv } from './environment.ts';

// `npm start`, and the script of deploy/systemd, load this first. Node's own --env-file-if-exists prints a line at each start without a `.env`, and reads none with a
// byte order mark, as Windows writes it.
const { [dotenvVariable]: named } = readEnvironment();
const file = named ?? '.env';
const bytes = readBytes();
if (bytes !== null) {
  if (isUtf16(bytes)) end(`${file} is saved as UTF-16: save it as UTF-8`);
  useDotenv(path.resolve(file), new TextDecoder().decode(bytes));
}

function readBytes(): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && named === undefined) return null;
    return end(`${file} can't be read (${code}): check what it is, and the rights to it`);
  }
}

function end(line: string): never {
  process.stderr.write(`callsheet: ${line}\n`);
  process.exit(exitCode.configuration);
}
