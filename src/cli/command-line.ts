import { readEnvironment } from '../config/environment.ts';
import { exitCode } from '../model/exit-code.ts';
import { createLiveLine } from '../support/live-line.ts';
import { createRedactor } from '../support/redaction.ts';
import { explainUncaught } from './explain.ts';
import { interrupted } from './interruption.ts';
import { runProgram } from './program.ts';

const redactor = createRedactor();
const live = createLiveLine(process.stderr);

// Unhandled rejections end here, too: a process in an unknown state must end.
process.on('uncaughtException', (error) => {
  live.clear();
  for (const line of explainUncaught(error, redactor)) process.stderr.write(`callsheet: ${line}\n`);
  process.exit(exitCode.internal);
});

// A closed pipe (`| head`) doesn't stop the work.
process.stdout.on('error', () => {});

process.exitCode = await runProgram(process.argv.slice(2), {
  environment: readEnvironment(),
  signal: interrupted,
  redactor,
  live,
  print: (text) => process.stdout.write(`${text}\n`),
});
// A silent mail server, for one, must not delay the end.
if (interrupted.aborted) process.exit();
