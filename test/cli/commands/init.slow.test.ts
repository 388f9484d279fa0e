import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { root } from '../../deploy/known.ts';
import { ended } from '../../support/callsheet.ts';
import { createDatabase, type TestDatabase } from '../../support/database.ts';
import { type Simulator, startSimulator } from '../../support/simulator.ts';
import { openTerminal } from '../../support/terminal.ts';

let simulator: Simulator;
let database: TestDatabase;
let folder: string;
let address: string;
const { token } = generateDataset().accounts[0]!;

beforeAll(async () => {
  database = await createDatabase({ template: 'migrated' });
  simulator = await startSimulator();
  address = simulator.url;
});
afterAll(async () => {
  await simulator.close();
  await database.drop();
});
beforeEach(async ({ onTestFinished }) => {
  folder = await mkdtemp(path.join(tmpdir(), 'callsheet-init-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

/** `npm start -- …` in the folder, with these lines piped in. */
async function start(args: readonly string[], input = '', environment = {}) {
  const [, ...options] = manifest.scripts.start.split(' ');
  const launcher = options.map((option) => (/\.ts$/.test(option) ? path.join(root, option) : option));
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [...launcher, ...args], {
    cwd: folder,
    env: { PATH, HOME, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  return await ended(child);
}

const written = () => readFile(path.join(folder, '.env'), 'utf8');

describe('from an address and a token to a first run', () => {
  it('takes three steps: init, and the two commands that it prints, with the page to open', async () => {
    const init = await start(['init'], `${address}\n${token}\n`);
    expect(init).toMatchObject({ code: 0, stderr: '' });
    expect(init.stdout).toMatch(/^✓ service {3}main +the token is good; \d+ campaigns? yesterday$/m);
    expect(init.stdout).toMatch(
      /\n {2}npm start -- backfill --from \S+ --to \S+\n {2}npm start -- run\n {2}npm start -- digest .+\n\nThen open:/,
    );
    expect(await written()).toContain(`SERVICE_BASE_URL=${address}\nSIDTOKEN=${token}\n`);
    expect((await stat(path.join(folder, '.env'))).mode & 0o777).toBe(0o600);

    const run = await start(['run'], '', { DATABASE_URL: database.url });
    expect(run.code).toBe(0);
    expect(await readdir(path.join(folder, 'outbox'))).toHaveLength(1);
    for (const { stdout, stderr } of [init, run]) expect(stdout + stderr).not.toContain(token);
  });

  it('takes one, if init may load five weeks and mail: it ends with the page of the digest', async () => {
    const fresh = await createDatabase({ template: 'migrated' });
    const settings = { DATABASE_URL: fresh.url, LOG_FORMAT: 'json' };
    const { code, stdout, stderr } = await start(['init'], `${address}\n${token}\ny\n`, settings);
    await fresh.drop();
    expect(code).toBe(0);
    expect(stderr).toMatch(/35 days loaded"}\n/);
    expect(stderr).toMatch(/1 mail written, nothing to do"}\n$/);
    const page = /Open:\n\n {2}(\/.+\.html)\n$/.exec(stdout)![1]!;
    expect(await readFile(page, 'utf8')).toMatch(/connect rate/i);
    expect(await readdir(path.join(folder, 'outbox'))).toHaveLength(1);
  });

  it('leaves a token in its file, and asks for nothing that is given', async () => {
    await writeFile(path.join(folder, 'token'), token, { mode: 0o600 });
    const { code, stderr } = await start(['init', '--url', address, '--token-file', 'token']);
    expect([code, stderr]).toEqual([0, '']);
    expect(await written()).toMatch(/\nSIDTOKEN_FILE=token\n$/);
  });

  it('shows the questions on a terminal, and of the token nothing', async () => {
    const child = openTerminal(80, ['init'], { TERM: 'xterm-256color' }, folder);
    let shown = '';
    child.stdout.setEncoding('utf8');
    const until = async (words: string) => {
      while (!shown.includes(words)) shown += (await once(child.stdout, 'data'))[0];
    };
    await until('address of the service: ');
    child.stdin.write(`${address}\r`);
    await until('session token: ');
    child.stdin.write(`${token}\r`);
    await until('[Y/n]: ');
    child.stdin.write('n\r');
    await until('Then open:');
    child.stdin.end();
    await once(child, 'close');
    expect(shown).toContain(address);
    expect(shown).not.toContain(token);
    expect(await written()).toContain(token);
  });
});

describe('init writes nothing', () => {
  it('where the address or the token is wrong', async () => {
    const wrongPath = await start(['init'], `${address}/wrong\n${token}\n`);
    expect(wrongPath.code).toBe(75);
    expect(wrongPath.stdout).toMatch(
      /^✗ .*status 404.*\n +→ check SERVICE_BASE_URL.*\n\nNothing is written: /,
    );
    const wrongToken = await start(['init'], `${address}\na-token-of-nobody\n`);
    expect(wrongToken.code).toBe(77);
    expect(wrongToken.stdout).toMatch(
      /^✗ .*refuses the session token.*\n +→ run init again with a valid session token.*\n\nNothing/,
    );
    const noToken = await start(['init'], `${address}\n`);
    expect(noToken).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('no session token was given'),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('over a .env that is there, unless it is forced to', async () => {
    await writeFile(path.join(folder, '.env'), 'RETRIES=2\n', { mode: 0o644 });
    const { code, stderr } = await start(['init'], `${address}\n${token}\n`);
    expect([code, stderr]).toEqual([64, expect.stringMatching(/\.env exists: edit it, or .*--force/)]);
    expect(await written()).toBe('RETRIES=2\n');
    const forced = await start(['init', '--force'], `${address}\n${token}\n`);
    expect(forced.code).toBe(0);
    expect(await written()).not.toContain('RETRIES');
    expect((await stat(path.join(folder, '.env'))).mode & 0o777).toBe(0o600);
  });
});
