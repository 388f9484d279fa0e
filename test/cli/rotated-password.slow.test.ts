import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../server/site.ts';
import { startCallsheet } from '../support/callsheet.ts';
import { createRole } from '../support/role.ts';
import { openWorld } from '../support/world.ts';

it('schedule goes on without a restart once DATABASE_URL_FILE has the new password, and logs the refusal without it', async () => {
  const role = await createRole();
  onTestFinished(role.drop);
  const world = await openWorld();
  onTestFinished(world.close);
  const file = path.join(world.folder, 'database_url');
  const write = async (password: string) =>
    await writeFile(file, Object.assign(new URL(role.url(world.databaseUrl)), { password }).href);
  await role.alter(`password 'password-of-monday'`);
  await write('password-of-monday');

  const port = String(await freePort());
  const child = startCallsheet(['schedule'], {
    ...world.environment,
    DATABASE_URL: '',
    DATABASE_URL_FILE: file,
    HTTP_PORT: port,
    SCHEDULE: '*/2 * * * * *',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const logged: string[] = [];
  createInterface(child.stderr).on('line', (line) => logged.push(line));
  const runs = () => logged.filter((line) => /"(retry \d+: )?done in /.test(line)).length;
  const refusals = () => logged.filter((line) => line.includes('rejected the password')).length;
  const ready = async () => await fetch(`http://127.0.0.1:${port}/readyz`);
  await expect.poll(runs).toBeGreaterThan(0);
  await expect.poll(async () => (await ready()).status).toBe(200);

  await role.alter(`password 'password-of-tuesday'`);
  await world.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = $1', [
    role.name,
  ]);
  await expect.poll(refusals).toBeGreaterThan(0);
  const unready = await ready();
  expect([unready.status, await unready.text()]).toEqual([
    503,
    expect.stringContaining('rejected the password'),
  ]);

  const before = runs();
  await write('password-of-tuesday');
  await expect.poll(runs).toBeGreaterThan(before);
  await expect.poll(async () => (await ready()).status).toBe(200);
  expect(logged.join('\n')).not.toMatch(/password-of-/);

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([143, null]);
});
