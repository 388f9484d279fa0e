import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { errorTable, exitCodeTable, withTable } from '../support/error-tables.ts';

// `npm run errors` writes them anew.
test.each([
  ['README.md', exitCodeTable],
  ['docs/operations.md', errorTable],
])('the table of %s is that of the catalogue of errors', async (document, table) => {
  const file = path.resolve(import.meta.dirname, '../..', document);
  await expect(withTable(readFileSync(file, 'utf8'), table())).toMatchFileSnapshot(file);
});
