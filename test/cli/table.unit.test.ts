import { expect, it } from 'vitest';
import { formatTable } from '../../src/cli/table.ts';

it('the rows of a table are not as wide as its longest cell', () => {
  const rows = ['x'.repeat(100_000), ...Array.from({ length: 1_000 }, () => 'y')].map((name) => ({
    name,
    id: 1,
  }));
  expect(formatTable(rows, ['name', 'id']).length).toBeLessThan(100_000 + 1_001 * 100);
});
