import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createDatabase } from '../../support/database.ts';

const root = path.resolve(import.meta.dirname, '../../..');

it('the table types are those of the migrated schema; `npm run generate` writes them', async () => {
  const database = await createDatabase({ template: 'migrated' });
  const codegen = path.join(root, 'node_modules/kysely-codegen/dist/cli/bin.js');
  const options = ['--print', '--log-level', 'error', '--url', database.url];
  const { stdout } = await promisify(execFile)(process.execPath, [codegen, ...options], { cwd: root });
  // The comments of columns stand in the migrations.
  const types = stdout.replaceAll(/^ {2}\/\*\*\n(?: {3}\*.*\n)+/gm, '');
  await expect(`${types.trim()}\n`).toMatchFileSnapshot(path.join(root, 'src/warehouse/db/generated.ts'));
  await database.drop();
});
