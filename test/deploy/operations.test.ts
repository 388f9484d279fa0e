import { expect, it } from 'vitest';
import { alertCodes } from '../../src/model/alert.ts';
import { metrics } from '../../src/server/metrics.ts';
import { read, settingNames } from './known.ts';

it.each(['docs/install.md', 'docs/operations.md'])('%s names settings that exist', (file) => {
  const text = read(file);
  const names = [...text.matchAll(/`([A-Z][A-Z_]{5,})(?:=[^`]*)?`/g)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(10);
  // Compose has one of its own.
  const known: readonly string[] = [...settingNames, ...alertCodes, 'POSTGRES_PASSWORD'];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

it('docs/operations.md names metrics that exist', () => {
  const names = read('docs/operations.md').match(/\bcallsheet_(?!reader)\w+/g);
  expect(Object.keys(metrics)).toEqual(expect.arrayContaining(names!));
});
