import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startPrivatePostgres } from '../../src/private-postgres/server.ts';
import {
  common,
  endServer,
  isAlive,
  postmasterOf,
  removeUsed,
  start,
  usedDirectory,
} from '../private-postgres/private-servers.ts';
import { callsheet } from '../support/callsheet.ts';
import { scratchFolder } from '../support/scratch.ts';

afterAll(removeUsed);

it('a command loads no code from a folder that others may write to, and leaves none there', async () => {
  const temporary = await scratchFolder('callsheet-temporary-');
  onTestFinished(() => rm(temporary, { recursive: true }));
  // Empty: as where nobody sets it.
  const { code } = await callsheet(['--help'], { TMPDIR: temporary, NODE_COMPILE_CACHE: '' });
  expect(code).toBe(0);
  expect(await readdir(temporary)).toEqual([]);
});

it('a link in the place of the private server’s lock file leads to no file of ours', async () => {
  const directory = await usedDirectory();
  const lock = path.join(directory, 'postgres', 'data', 'postmaster.pid');
  const own = path.join(directory, 'crontab');
  // Its first number is that of a process, as in a lock file that a crash left behind.
  await writeFile(own, `${process.pid} 6 * * * backup\n`);
  await symlink(own, lock);
  onTestFinished(() => rm(lock, { force: true }));
  // Postgres replaces the link, unless it takes that process for a server: then the link is refused.
  await startPrivatePostgres({ directory, ...common }).then(
    (server) => server.stop(),
    (error) => expect(error.detail).toContain('ELOOP'),
  );
  expect(await readFile(own, 'utf8')).toBe(`${process.pid} 6 * * * backup\n`);
});

it('a lock file that names another process makes nobody signal that process', async () => {
  const server = await start(await usedDirectory());
  const lock = path.join(server.directory, 'data', 'postmaster.pid');
  const [content, postmaster] = [await readFile(lock, 'utf8'), await postmasterOf(server)];
  const victim = spawn('sleep', ['600'], { argv0: 'postgres', stdio: 'ignore' });
  onTestFinished(() => void victim.kill());
  await once(victim, 'spawn');
  await writeFile(lock, content.replace(/^\d+/, String(victim.pid)));
  await server.stop();
  expect([isAlive(victim.pid!), isAlive(postmaster)]).toEqual([true, true]);
  await writeFile(lock, content);
  await endServer(server);
});
