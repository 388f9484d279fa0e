#!/usr/bin/env node
import { interrupted } from './cli/interruption.ts';

// After the listener of signals: process 1 of a container gets none that it doesn't listen for.
const { runProgram } = await import('./cli/program.ts');
process.exitCode = await runProgram(process.argv.slice(2));
// A silent mail server, for one, must not delay the end.
if (interrupted.aborted) process.exit();
