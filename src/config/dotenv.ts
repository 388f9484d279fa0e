import { exitCode } from '../model/exit-code.ts';

// `npm start` loads this first. Without a `.env`, Node's --env-file-if-exists prints a line at each start.
try {
  process.loadEnvFile('.env');
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT') {
    process.stderr.write(`callsheet: .env can't be read (${code}): check what it is, and the rights to it\n`);
    process.exit(exitCode.configuration);
  }
}
