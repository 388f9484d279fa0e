import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import manifest from '../../package.json' with { type: 'json' };
import type { Environment } from '../../src/config/environment.ts';

/** What `npm start` gives Node, for any working directory; the last one is the program. */
export const npmStart: readonly string[] = manifest.scripts.start
  .replace(/^node /, '')
  .split(' ')
  .map((option) => (option.startsWith('-') ? option : path.resolve(import.meta.dirname, '../..', option)));

const main = path.resolve(import.meta.dirname, '../../src/main.ts');
const program = path.resolve(import.meta.dirname, '../../src/cli/program.ts');
/** Node's compile cache, which hundreds of processes share. Nobody else may write there. */
const compiled = path.resolve(import.meta.dirname, '../../node_modules/.cache/callsheet-test');

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Starts the command line as a process of its own. It gets no other settings from the environment. */
export function startCallsheet(args: readonly string[], environment: Environment, cwd?: string) {
  const { PATH, HOME, TZ } = process.env;
  return spawn(process.execPath, [main, ...args], {
    env: { PATH, HOME, NODE_COMPILE_CACHE: compiled, ...(TZ && { TZ, TIME_ZONE: 'UTC' }), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd && { cwd }),
  });
}

/** Runs a program in a folder, with these variables and no others, and types `input`. */
export async function runIn(
  cwd: string,
  program: string,
  args: readonly string[],
  environment: Environment = {},
  input = '',
): Promise<Ended> {
  const { PATH, HOME } = process.env;
  const child = spawn(program, args, { cwd, env: { PATH, HOME, ...environment }, stdio: 'pipe' });
  // A program that ends without reading its input is no error.
  child.stdin.on('error', () => {}).end(input);
  return await ended(child);
}

export async function callsheet(
  args: readonly string[],
  environment: Environment,
  cwd?: string,
): Promise<Ended> {
  return await ended(startCallsheet(args, environment, cwd));
}

/** Types several lines in one process, because each takes half a second to start. */
export async function typedInTurn(
  lines: readonly (readonly string[])[],
  environment: Environment,
): Promise<Ended[]> {
  const script = `
    const { runProgram } = await import(${JSON.stringify(program)});
    for (const words of ${JSON.stringify(lines)}) {
      const code = await runProgram(words);
      process.stdout.write('\\f');
      process.stderr.write('\\v' + code + '\\f');
    }`;
  const typed = ['--input-type=module', '--eval', script];
  const variables = { NODE_COMPILE_CACHE: compiled, ...environment };
  const { code, stdout, stderr } = await runIn('.', process.execPath, typed, variables);
  if (code !== 0) throw new Error(`the process ended with ${code}: ${stderr}`);
  const printed = stdout.split('\f');
  return stderr
    .split('\f')
    .slice(0, -1)
    .map((text, index) => {
      const [errors, exitCode] = text.split('\v');
      return { code: Number(exitCode), stdout: printed[index]!, stderr: errors! };
    });
}

export async function ended(child: ChildProcessByStdio<Writable | null, Readable, Readable>): Promise<Ended> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, stdout, stderr };
}
