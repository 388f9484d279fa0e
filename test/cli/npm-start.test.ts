import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { root } from '../deploy/known.ts';
import { ended } from '../support/callsheet.ts';
import { scratchFolder } from '../support/scratch.ts';

/** Prints two variables, with the options of Node that `npm start` has, and these variables and no others. */
async function start(cwd: string, environment = {}) {
  const [node, ...options] = manifest.scripts.start.split(' ');
  expect([node, options.pop()]).toEqual(['node', 'src/main.ts']);
  const args = options.map((option) => (/\.ts$/.test(option) ? path.join(root, option) : option));
  const printed = ['--print', '[process.env.PAGE_LIMIT, process.env.RETRIES].join()'];
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, ...environment };
  return await ended(
    spawn(process.execPath, [...args, ...printed], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
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

it('npm start ends with 78 and a line if .env cannot be read', async () => {
  const folder = await scratchFolder('callsheet-start-');
  await mkdir(path.join(folder, '.env'));
  const { code, stdout, stderr } = await start(folder);
  expect([code, stdout]).toEqual([78, '']);
  expect(stderr).toMatch(/^callsheet: \.env can't be read \(\w+\): .*\n$/);
});
