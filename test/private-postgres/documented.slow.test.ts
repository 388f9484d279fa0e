import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { blocksOf, readDocument } from '../support/documents.ts';
import { removeUsed, start, usedDirectory } from './private-servers.ts';

afterAll(removeUsed);

test('The line of psql in docs/warehouse.md leads into a private Postgres that runs.', async () => {
  const directory = await usedDirectory();
  await start(directory);
  const [line] = blocksOf(readDocument('docs/warehouse.md'), 'sh').filter((block) => block.includes('psql'));
  // What psql would get, whether this machine has it or not.
  const script = `psql() { echo "$1 password=$PGPASSWORD"; }\n${line!.replaceAll('.callsheet', directory)}`;
  const { stdout } = await promisify(execFile)('bash', ['-euc', script]);
  const words = stdout
    .trim()
    .split(' ')
    .map((word) => word.split('='));
  const { host, port, user, dbname, password } = Object.fromEntries(words);
  const client = new pg.Client({ host, port: Number(port), user, database: dbname, password });
  await client.connect();
  expect((await client.query('select current_user')).rows).toEqual([{ current_user: user }]);
  await client.end();
});
