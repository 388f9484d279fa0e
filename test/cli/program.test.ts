import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended, startCallsheet } from '../support/callsheet.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
let folder: string;
beforeAll(async () => {
  // A service that never responds, so that the process keeps running.
  world = await openWorld({ intercept: () => new Promise(() => {}) });
  folder = await mkdtemp(path.join(tmpdir(), 'callsheet-crash-'));
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true });
});

const token = 'S3cr3t+T0k3n/of=crash';
const settings = () => ({ ...world.environment, ACCOUNTS_FILE: '', SIDTOKEN: token });

/** A process that runs this code once it is running: with its first request. */
async function startWith(code: string, args: string[]) {
  const file = path.join(folder, 'broken.mjs');
  await writeFile(
    file,
    `import { subscribe } from 'node:diagnostics_channel';
     subscribe('undici:request:create', () => setImmediate(() => { ${code} }));`,
  );
  return startCallsheet(args, { ...settings(), NODE_OPTIONS: `--import=file://${file}` });
}

const error = `new Error('broken by ' + process.env.SIDTOKEN)`;

describe('a process', () => {
  it.each([
    ['a rejection that nobody handles', `Promise.reject(${error});`],
    ['an error that nobody catches', `throw ${error};`],
  ])('with %s ends with 1, and reports it without the token', async (_, code) => {
    const child = await startWith(code, ['run']);
    const { code: exitCode, stdout, stderr } = await ended(child);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    const reported = stderr.split('\n').filter((line) => line.startsWith('callsheet: '));
    expect(reported).toEqual([
      expect.stringMatching(/internal error of Callsheet/),
      'callsheet: Error: broken by [redacted]',
    ]);
    expect(stderr).not.toContain(token);
  });
});
