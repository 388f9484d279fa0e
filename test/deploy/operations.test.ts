import { expect, it } from 'vitest';
import { alertCodes } from '../../src/job/alerts/conditions/catalogue.ts';
import { errorCatalogue } from '../../src/model/errors.ts';
import { metrics } from '../../src/server/metrics.ts';
import { anomalies } from '../digest/figures.ts';
import { read, settingNames } from './known.ts';

/** The codes by which readers of the warehouse know why a day is provisional or a response held. */
const reasonCodes = [
  ...Object.keys(anomalies).map((code) => code.toUpperCase()),
  'DAY_NOT_OVER',
  'NOT_CONFIRMED',
  'EMPTIED',
  'HALVED',
  'ZEROED',
  'UNREPORTED',
];

it.each(['docs/install.md', 'docs/operations.md'])('%s names settings that exist', (file) => {
  const text = read(file);
  const names = [...text.matchAll(/`([A-Z][A-Z_]{5,})(?:=[^`]*)?`/g)].map((match) => match[1]!);
  expect(names.length).toBeGreaterThan(10);
  // Compose has one of its own.
  const known: readonly string[] = [
    ...settingNames,
    ...alertCodes,
    ...Object.keys(errorCatalogue),
    ...reasonCodes,
    'POSTGRES_PASSWORD',
  ];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

it('docs/operations.md names metrics that exist', () => {
  const names = read('docs/operations.md').match(/\bcallsheet_(?!reader)\w+/g);
  expect(Object.keys(metrics)).toEqual(expect.arrayContaining(names!));
});
