import { expect, it } from 'vitest';
import { formatRows, formatTable } from '../../src/cli/table.ts';

it('the rows of a table are not as wide as its longest cell', () => {
  const rows = ['x'.repeat(100_000), ...Array.from({ length: 1_000 }, () => 'y')].map((name) => ({
    name,
    id: 1,
  }));
  expect(formatTable(rows, ['name', 'id']).length).toBeLessThan(100_000 + 1_001 * 100);
});

it('a terminal shows what it would obey, and a pipe gets it as it is', () => {
  const campaign = 'Sale \u001b[31m\u009b2J\u202efdp.exe, café';
  const rows = [{ campaign }];
  for (const format of ['csv', 'json', 'table'] as const)
    for (const sign of ['\u001b', '\u009b', '\u202e'])
      expect(formatRows(rows, ['campaign'], format, true)).not.toContain(sign);
  expect(formatRows(rows, ['campaign'], 'csv', true)).toContain(
    'Sale \\u001b[31m\\u009b2J\\u202efdp.exe, café',
  );
  expect(formatRows(rows, ['campaign'], 'csv', false)).toContain(campaign);
  expect(JSON.parse(formatRows(rows, ['campaign'], 'json', true))).toEqual(rows);
});
