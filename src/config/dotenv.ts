import { exitCode } from '../model/exit-code.ts';

// `npm start` loads this first: the variables of `.env`, where there is one, beside those that are set, which win. Node's
// own `--env-file-if-exists` reports each start without a `.env`.
try {
  process.loadEnvFile();
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT') {
    process.stderr.write(`callsheet: .env can't be read (${code}): check what it is, and the rights to it\n`);
    process.exit(exitCode.configuration);
  }
}
