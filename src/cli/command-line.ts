import { readEnvironment } from '../config/environment.ts';
import { Interrupted } from '../model/interrupted.ts';
import { createLiveLine } from '../support/live-line.ts';
import { createRedactor } from '../support/redaction.ts';
import { runProgram } from './program.ts';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    const interrupted = new Interrupted(signal);
    // The first asks for an orderly end, the second for an end.
    if (interruption.signal.aborted) process.exit(interrupted.exitCode);
    interruption.abort(interrupted);
  });
}

// Whoever read the results may have gone (`| head`); the work goes on all the same.
process.stdout.on('error', () => {});

process.exitCode = await runProgram(process.argv.slice(2), {
  environment: readEnvironment(),
  signal: interruption.signal,
  redactor: createRedactor(),
  live: createLiveLine(process.stderr),
  print: (text) => process.stdout.write(`${text}\n`),
});
