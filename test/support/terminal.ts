import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../src/config/environment.ts';
import { commandLine } from '../../src/support/commands.ts';

const main = path.resolve(import.meta.dirname, '../../src/main.ts');

export async function inTerminal(
  columns: number,
  args: readonly string[],
  environment: Environment,
  cwd?: string,
): Promise<string> {
  const child = openTerminal(columns, args, environment, cwd);
  child.stdin.end();
  return await text(child.stdout);
}

/** Runs the command in a terminal; its `stdin` is the keyboard. */
export function openTerminal(
  columns: number,
  args: readonly string[],
  environment: Environment,
  cwd?: string,
) {
  const line = `stty cols ${columns}; exec ${commandLine(process.execPath, main, ...args)}`;
  const { PATH, HOME } = process.env;
  // `script` takes other arguments on BSD and macOS.
  const script =
    process.platform === 'linux' ? ['-qec', line, '/dev/null'] : ['-q', '/dev/null', 'sh', '-c', line];
  return spawn('script', script, {
    env: { PATH, HOME, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(cwd && { cwd }),
  });
}
