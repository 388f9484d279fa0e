import { readFileSync } from 'node:fs';
import path from 'node:path';
import { exitCode } from '../model/exit-code.ts';
import { useDotenv } from './environment.ts';

// `npm start` loads this first. Node's own --env-file-if-exists prints a line at each start without a `.env`, and reads none with a
// byte order mark, as Windows writes it.
const bytes = readBytes();
if (bytes !== null) {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) end('.env is saved as UTF-16: save it as UTF-8');
  useDotenv(path.resolve('.env'), new TextDecoder().decode(bytes));
}

function readBytes(): Buffer | null {
  try {
    return readFileSync('.env');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    return end(`.env can't be read (${code}): check what it is, and the rights to it`);
  }
}

function end(line: string): never {
  process.stderr.write(`callsheet: ${line}\n`);
  process.exit(exitCode.configuration);
}
