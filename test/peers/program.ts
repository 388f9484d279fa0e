import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

/** What a program of this machine makes of its input, in a home of its own; fails where it is missing or fails. */
export async function outputOf(program: string, options: readonly string[], input: string): Promise<string> {
  const home = await mkdtemp(path.join(tmpdir(), 'callsheet-peer-'));
  const child = spawn(program, options, {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, LC_ALL: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const missing = `no program ${program} here: apt-get install ${program} (bash .ci/run does)`;
      reject(error.code === 'ENOENT' ? new Error(missing) : error);
    });
    child.once('close', resolve);
  });
  child.stdin.end(input);
  try {
    const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`);
    return output;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
