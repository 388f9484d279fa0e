import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Environment } from '../../src/config/environment.ts';
import { commandLine } from '../../src/support/commands.ts';

const main = path.resolve(import.meta.dirname, '../../src/main.ts');

/** The command in a terminal of that many columns; gives all that was written to it. */
export async function inTerminal(
  columns: number,
  args: readonly string[],
  environment: Environment,
): Promise<string> {
  const line = `stty cols ${columns}; exec ${commandLine(process.execPath, main, ...args)}`;
  const { PATH, HOME } = process.env;
  // Every system has `script`, in one of two dialects.
  const script =
    process.platform === 'linux' ? ['-qec', line, '/dev/null'] : ['-q', '/dev/null', 'sh', '-c', line];
  const child = spawn('script', script, {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return await text(child.stdout);
}
