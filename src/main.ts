#!/usr/bin/env node
import { lstatSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import path from 'node:path';

const modules = path.resolve(import.meta.dirname, '../node_modules');
const cache = path.join(modules, '.cache', 'compiled');
// Before anything else is loaded: a second start takes two thirds of the time of the first.
if (isOurs(modules) && isOurs(path.dirname(cache), true) && isOurs(cache, true)) enableCompileCache(cache);
// Process 1 of a container gets no signal that it has no listener for.
const { interrupted } = await import('./cli/interruption.ts');
const { runProgram } = await import('./cli/program.ts');
process.exitCode = await runProgram(process.argv.slice(2));
// A silent mail server, for one, must not delay the end.
if (interrupted.aborted) process.exit();

/** Whether a folder is ours alone: what somebody else may write to a cache would run as us. */
function isOurs(folder: string, orMissing = false): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return orMissing;
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}
