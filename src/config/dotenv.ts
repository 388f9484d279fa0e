import { Failure } from '../model/errors.ts';
import { readDotenv, useVariables } from './environment.ts';

// `npm start`, and the script of deploy/systemd, load this first. Node's own --env-file-if-exists prints a line at each start without a `.env`.
try {
  useVariables(readDotenv());
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  process.stderr.write(`callsheet: ${error.message}\n`);
  process.exit(error.exitCode);
}
