#!/usr/bin/env node
import './cli/node-version.mjs';

// Process 1 of a container gets no signal that it has no listener for.
const { interrupted } = await import('./cli/interruption.ts');
// `npm start` has read .env before. The command of the package doesn't, where npx starts it.
const { readEnvironment } = await import('./config/environment.ts');
if (readEnvironment().npm_command === 'exec') await import('./config/dotenv.ts');
const { runProgram } = await import('./cli/program.ts');
process.exitCode = await runProgram(process.argv.slice(2));
// A silent mail server, for one, must not delay the end.
if (interrupted.aborted) process.exit();
