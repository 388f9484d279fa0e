import { lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { startPrivatePostgres } from '../../src/private-postgres/server.ts';
import {
  common,
  endServer,
  freshDirectory,
  giveAway,
  isAlive,
  killServer,
  postmasterOf,
  queryValue,
  removeUsed,
  start,
  usedDirectory,
} from '../private-postgres/private-servers.ts';

const isRoot = process.getuid?.() === 0;

afterAll(removeUsed);

test('The first start makes a server with the database callsheet, and stop ends its process.', async () => {
  const server = await start(await freshDirectory());
  expect(server.startedHere).toBe(true);
  expect(await queryValue(server.url, 'select current_database() as value')).toBe('callsheet');
  expect(await queryValue(server.url, "select current_setting('server_encoding') as value")).toBe('UTF8');
  expect(await queryValue(server.adminUrl, 'select current_database() as value')).toBe('postgres');
  const pid = await postmasterOf(server);
  expect(isAlive(pid)).toBe(true);

  await server.stop();
  expect(isAlive(pid)).toBe(false);
  await server.stop();
});

test('The server listens on 127.0.0.1 alone, and requires the password.', async () => {
  const server = await start(await usedDirectory());
  expect(await queryValue(server.url, "select current_setting('listen_addresses') as value")).toBe(
    '127.0.0.1',
  );
  expect(await queryValue(server.url, "select current_setting('unix_socket_directories') as value")).toBe('');
  const url = new URL(server.url);
  url.password = 'wrong';
  await expect(queryValue(url.href, 'select 1 as value')).rejects.toThrow('password authentication failed');
  expect((await lstat(join(server.directory, 'password'))).mode & 0o777).toBe(0o600);
});

test('A second process shares the running server, and leaves it running.', async () => {
  const directory = await usedDirectory();
  const first = await start(directory);
  const second = await start(directory);
  expect(second).toMatchObject({ url: first.url, startedHere: false });

  await second.stop();
  expect(await queryValue(first.url, 'select 1 as value')).toBe(1);
  const third = await startPrivatePostgres({ directory, ...common });
  expect(third).toMatchObject({ url: first.url, startedHere: false });
  await third.stop();
  expect(await queryValue(first.url, 'select 1 as value')).toBe(1);
});

test('Of processes that start at once in a new folder, one starts the server and all use it.', async () => {
  const directory = await freshDirectory();
  const starters = await Promise.all([1, 2, 3].map(() => start(directory)));
  expect(new Set(starters.map((starter) => starter.url)).size).toBe(1);
  expect(starters.filter((starter) => starter.startedHere)).toHaveLength(1);
  expect(await readdir(directory)).toEqual(['postgres']);

  for (const starter of starters.sort((one, other) => Number(one.startedHere) - Number(other.startedHere))) {
    expect(await queryValue(starter.url, 'select 1 as value')).toBe(1);
    await starter.stop();
  }
  await expect(queryValue(starters[0]!.url, 'select 1 as value')).rejects.toThrow('ECONNREFUSED');
});

test('Processes that start and stop at the same time all get a server, and none is left over.', async () => {
  const directory = await usedDirectory();
  const starters = [1, 2, 3, 4].map(async () => {
    const server = await start(directory);
    await server.stop();
    return server.directory;
  });
  const [folder] = await Promise.all(starters);
  expect(await readdir(join(folder!, 'data'))).not.toContain('postmaster.pid');
});

test('When the process that started the server is killed, the next one uses its server.', async () => {
  const directory = await usedDirectory();
  const killed = await start(directory);
  await killed.kill();
  onTestFinished(() => endServer(killed));

  const next = await start(directory);
  expect(next).toMatchObject({ url: killed.url, startedHere: false });
  expect(await queryValue(next.url, 'select 1 as value')).toBe(1);
});

test('A server that was killed heals at the next start, with what had been committed.', async () => {
  const directory = await usedDirectory();
  const first = await start(directory);
  await queryValue(first.url, 'create table committed as select 42 as value');
  await killServer(first);
  await first.stop();

  const second = await start(directory);
  expect(second.startedHere).toBe(true);
  expect(await queryValue(second.url, 'select value from committed')).toBe(42);
});

test('A clone in a folder that only its owner can enter has its server all the same.', async () => {
  const directory = await freshDirectory(0o700);
  const first = await start(directory);
  expect(await queryValue(first.url, 'create table kept as select 42 as value')).toBeUndefined();
  expect((await lstat(join(directory, 'postgres'))).isSymbolicLink()).toBe(isRoot);
  expect(first.directory).toBe(await realpath(join(directory, 'postgres')));
  await first.stop();

  const second = await start(directory);
  expect(await queryValue(second.url, 'select value from kept')).toBe(42);
});

test('Data that an ordinary user made stays that user’s when root starts the server.', async () => {
  const directory = await freshDirectory();
  const first = await start(directory);
  await first.stop();
  if (isRoot) await giveAway(first.directory, 65_534);

  const second = await start(directory);
  expect(await queryValue(second.url, 'select 1 as value')).toBe(1);
  const owners = await Promise.all(
    ['data/PG_VERSION', 'data/postmaster.pid', 'data/server.log', 'password'].map(
      async (file) => (await lstat(join(first.directory, file))).uid,
    ),
  );
  expect(new Set(owners)).toEqual(new Set([isRoot ? 65_534 : process.getuid?.()]));
});
