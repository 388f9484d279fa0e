import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { errorTable, withTable } from '../support/error-tables.ts';

// `npm run generate` writes it anew.
test('the table of docs/operations.md is that of the catalogue of errors', async () => {
  const file = path.resolve(import.meta.dirname, '../../docs/operations.md');
  await expect(withTable(readFileSync(file, 'utf8'), errorTable())).toMatchFileSnapshot(file);
});
