import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readAsSystemd } from '../../support/env-file-readers.ts';
import { peers, runPeer } from '../../support/peers.ts';
import { scratchFolder } from '../../support/scratch.ts';

const lines = [
  `NAME='a $b \\c # d'`,
  'NAME="a $b # d"',
  'NAME="a\\$b\\c"',
  'NAME=a\\b # c',
  "NAME='a' # why",
  'NAME="N, I" <a@b>',
  ' NAME = a ',
  '# NAME=a',
  ...fc.sample(fc.stringMatching(/^NAME=[ab #$'"\\]{0,8}$/), { numRuns: 500, seed: 24 }),
].filter((line) => !isOpen(line));

/** Whether a quote, or a line, goes on in the next one, of which there is none here. */
function isOpen(line: string): boolean {
  const rest = line.replace(/^NAME=(\s*('[^']*'|"(\\.|[^"\\])*"))*/, '');
  return /^\s*['"]|\\$/.test(rest);
}

it('the systemd that tests read files of settings with is the real one’s equal', async () => {
  const folder = await scratchFolder('callsheet-environment-');
  for (const [index, line] of lines.entries()) await writeFile(path.join(folder, String(index)), `${line}\n`);
  const { code, output } = await runPeer(peers.python3, [
    path.join(import.meta.dirname, 'read_files.py'),
    folder,
  ]);
  expect(code).toBe(0);
  const read = JSON.parse(output) as Record<string, string[] | null>;
  for (const [index, line] of lines.entries()) {
    const ours = Object.entries(readAsSystemd(`${line}\n`)).map(([name, value]) => `${name}=${value}`);
    expect([line, ours]).toEqual([line, read[index]]);
  }
});
