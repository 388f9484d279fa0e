import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../deploy/known.ts';
import { ended, npmStart, runIn } from '../support/callsheet.ts';
import { scratchFolder } from '../support/scratch.ts';

const twoVariables = '[process.env.PAGE_LIMIT, process.env.RETRIES].join()';

/** Prints what is asked for, with the options of Node that `npm start` has, and these variables and no others. */
async function start(cwd: string, environment = {}, asked = twoVariables) {
  expect(npmStart.at(-1)).toBe(path.join(root, 'src/main.ts'));
  return await runIn(cwd, process.execPath, [...npmStart.slice(0, -1), '--print', asked], environment);
}

it('npm start says nothing of a .env that is not there', async () => {
  const folder = await scratchFolder('callsheet-start-');
  expect(await start(folder, { RETRIES: '7' })).toEqual({ code: 0, stdout: ',7\n', stderr: '' });
});

it('npm start reads the variables of .env, behind those that are set', async () => {
  const folder = await scratchFolder('callsheet-start-');
  await writeFile(path.join(folder, '.env'), `PAGE_LIMIT=file\nexport RETRIES='a $file'  # of mine\n`);
  const ending = { code: 0, stdout: 'set,a $file\n', stderr: '' };
  expect(await start(folder, { PAGE_LIMIT: 'set' })).toEqual(ending);
});

it('npm start reads a .env of Windows: with a byte order mark, and lines that end with CR LF', async () => {
  const folder = await scratchFolder('callsheet-start-');
  await writeFile(path.join(folder, '.env'), '\uFEFFPAGE_LIMIT=50\r\nRETRIES=7\r\n');
  expect(await start(folder)).toEqual({ code: 0, stdout: '50,7\n', stderr: '' });
});

it('npm start refuses a .env that is not UTF-8', async () => {
  const folder = await scratchFolder('callsheet-start-');
  for (const encoding of ['utf16le', 'latin1'] as const) {
    await writeFile(path.join(folder, '.env'), Buffer.from('\u00FFACCOUNT_NAME=Málaga\r\n', encoding));
    const stderr = "callsheet: .env isn't saved as UTF-8: save it so\n";
    expect(await start(folder)).toEqual({ code: 78, stdout: '', stderr });
  }
});

it('npm start passes on which .env it read, so that a command can warn of the rights to it', async () => {
  const folder = await scratchFolder('callsheet-start-');
  expect((await start(folder, {}, 'process.env.CALLSHEET_DOTENV')).stdout).toBe('undefined\n');
  await writeFile(path.join(folder, '.env'), '');
  const { stdout } = await start(folder, {}, 'process.env.CALLSHEET_DOTENV');
  expect(stdout).toBe(`${path.join(folder, '.env')}\n`);
});

it('npm start ends with 78 and a line if .env cannot be read', async () => {
  const folder = await scratchFolder('callsheet-start-');
  await mkdir(path.join(folder, '.env'));
  const { code, stdout, stderr } = await start(folder);
  expect([code, stdout]).toEqual([78, '']);
  expect(stderr).toMatch(/^callsheet: \.env can't be read \(\w+\): .*\n$/);
});

it('npm ci links Node where npm 10 has deleted its link', async () => {
  const folder = await scratchFolder('callsheet-link-');
  const { postinstall } = manifest.scripts;
  const bin = { node: 'node.js' };
  const own = path.join(folder, 'node_modules/node-here');
  await mkdir(own, { recursive: true });
  await writeFile(path.join(own, bin.node), '#!/bin/sh\necho linked\n');
  await writeFile(
    path.join(own, 'package.json'),
    JSON.stringify({ name: 'node-here', version: '1.0.0', bin }),
  );
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ dependencies: { 'node-here': '1.0.0' }, scripts: { postinstall } }),
  );
  expect(await runIn(folder, 'npm', ['run', 'postinstall'])).toMatchObject({ code: 0, stderr: '' });
  expect(await runIn(folder, 'node_modules/.bin/node', [])).toMatchObject({ stdout: 'linked\n' });
});

it('npm start and npm run demo say in a line that npm ci is missing: without packages, and on an old Node', async () => {
  const folder = await scratchFolder('callsheet-bare-');
  await cp(path.join(root, 'src'), path.join(folder, 'src'), { recursive: true });
  for (const script of [manifest.scripts.start, manifest.scripts.demo]) {
    const words = script.split(' ').slice(1);
    expect(await runIn(folder, process.execPath, words)).toEqual({
      code: 78,
      stdout: '',
      stderr: expect.stringMatching(/^callsheet: .*packages.*npm ci.*\n$/),
    });
    // An old Node is one whose version says so: it gets no further.
    const oldNode = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });";
    const old = ['--import', `data:text/javascript,${oldNode}`, ...words];
    expect(await runIn(root, process.execPath, old)).toEqual({
      code: 78,
      stdout: '',
      stderr: expect.stringMatching(/^callsheet: Node 26 is needed, and this is 20\.20\.2: .*npm ci.*\n$/),
    });
  }
});

/** Types a line into a shell, as in a clone. What it starts is a process group of its own. */
const typed = (line: string, environment = {}) => {
  const { PATH, HOME } = process.env;
  return spawn('sh', ['-c', `exec ${line}`], {
    cwd: root,
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
};

it.each([
  [
    'npm start run --dry-run',
    /^callsheet: npm took --dry-run for itself: .* npm start -- run --dry-run; .*\.npmrc/,
  ],
  // npm completes what it knows itself, and hands on what it doesn't.
  ['npm start run --dry', /^callsheet: npm took --dry-run for itself/],
  ['npm start run --no-dig', /^callsheet: npm took --no-digest for itself: .*npm_config_dig /],
  ['npm run demo --keep', /^callsheet: npm took --keep for itself/],
  [
    'npm start run --day 2026-03-02',
    /^callsheet: if you typed an option, npm took it: type -- before the command: npm start -- run /,
  ],
])('%s, of which npm keeps the option, ends with 64 and says where -- belongs', async (line, error) => {
  const { code, stderr } = await ended(typed(line));
  expect(code).toBe(64);
  expect(stderr.split('\n')).toContainEqual(expect.stringMatching(error));
});

it('npm start says nothing of -- where npm took nothing', async () => {
  const { code, stderr } = await ended(typed('npm start -- replay --from yesterday'));
  expect(code).toBe(64);
  expect(stderr).toContain("required option '--to <DAY>' not specified");
  expect(stderr).not.toContain('type --');
});

it('npm start goes on if an option of npm is typed behind --, too', async () => {
  const line = 'npm start -- run --dry-run';
  const environment = { npm_config_dry_run: 'true', PAGE_LIMIT: 'wrong', SIDTOKEN: '' };
  expect((await ended(typed(line, environment))).stderr).toMatch(/callsheet: PAGE_LIMIT is/);
});

it('npx callsheet reads .env; without npm, a line says that nobody read it', async () => {
  const folder = await scratchFolder('callsheet-npx-');
  await mkdir(path.join(folder, 'node_modules/.bin'), { recursive: true });
  await symlink(path.join(root, 'src/main.ts'), path.join(folder, 'node_modules/.bin/callsheet'));
  await writeFile(path.join(folder, 'package.json'), '{}');
  await writeFile(path.join(folder, '.env'), 'PAGE_LIMIT=wrong\n');
  const environment = { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` };
  const type = (program: string, ...args: string[]) => runIn(folder, program, args, environment);
  const npx = await type('npx', 'callsheet', 'status');
  expect(npx).toMatchObject({ code: 78, stderr: expect.stringMatching(/^callsheet: PAGE_LIMIT is /m) });
  const bare = await type(path.join(root, 'src/main.ts'), 'status');
  expect(bare.code).toBe(78);
  expect(bare.stderr).toMatch(/^callsheet: the settings in .*\.env were not read: npm start -- /m);
});

it('what npm started ends with it: npm passes no SIGTERM on', async () => {
  const npm = typed('npm --silent start -- simulate --port 0');
  onTestFinished(() => void spawnSync('kill', ['-9', '--', `-${npm.pid}`]));
  await once(npm.stdout, 'data');
  const end = ended(npm);
  npm.kill('SIGTERM');
  // Its streams close once the last process that has them has ended.
  expect((await end).stderr).toMatch(/^callsheet: .*SIGTERM/m);
}, 120_000);
