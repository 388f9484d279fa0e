import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { peers, searched } from '../support/peers.ts';

/** What a program of this machine makes of its input, in a home of its own; fails where it fails. */
export async function outputOf(
  peer: keyof typeof peers,
  options: readonly string[],
  input: string,
): Promise<string> {
  await using home = await mkdtempDisposable(path.join(tmpdir(), 'callsheet-peer-'));
  const { program } = peers[peer];
  const child = spawn(program, options, {
    cwd: home.path,
    env: { PATH: searched, HOME: home.path, LC_ALL: 'C.UTF-8' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`);
  return output;
}
