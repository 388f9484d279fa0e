import { readEnvironment } from '../config/environment.ts';
import { exitCode } from '../model/exit-code.ts';
import { createLiveLine } from '../support/live-line.ts';
import { createRedactor } from '../support/redaction.ts';
import { explainFault } from './explain.ts';
import { interrupted } from './interruption.ts';
import { runProgram } from './program.ts';

const redactor = createRedactor();
const live = createLiveLine(process.stderr);

// Rejections that nobody handles come here, too: what is in an unknown state ends, and is started anew.
process.on('uncaughtException', (error) => {
  live.clear();
  for (const line of explainFault(error, redactor)) process.stderr.write(`callsheet: ${line}\n`);
  process.exit(exitCode.fault);
});

// Whoever read the results may have gone (`| head`); the work goes on all the same.
process.stdout.on('error', () => {});

process.exitCode = await runProgram(process.argv.slice(2), {
  environment: readEnvironment(),
  signal: interrupted,
  redactor,
  live,
  print: (text) => process.stdout.write(`${text}\n`),
});
// What was left behind, a mail server that says nothing perhaps, must not hold up the end.
if (interrupted.aborted) process.exit();
