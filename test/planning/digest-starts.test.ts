import { expect, test } from 'vitest';
import { digestStarts } from '../../src/planning/digests-due.ts';
import { definition } from '../digest/figures.ts';

const digest = (name: string, ...accounts: string[]) => definition({ name, accounts });
const entry = (account: string, day: string, state: 'loaded' | 'failed' | 'provisional' = 'loaded') => ({
  account,
  day,
  state,
});

test('where nothing is loaded, a digest begins with the first day', () => {
  const ledger = [entry('north', '2026-11-18', 'failed'), entry('north', '2026-11-19', 'provisional')];
  expect(digestStarts([digest('A', 'north')], [], ledger)).toEqual([
    { name: 'A', every: 'day' as const, dueFrom: null },
  ]);
});

test('a new digest begins after the newest day that all of its accounts have', () => {
  const ledger = [
    ...['2026-10-30', '2026-10-31'].map((day) => entry('north', day)),
    ...[entry('coast', '2026-10-30'), entry('coast', '2026-10-31', 'failed')],
  ];
  expect(digestStarts([digest('A', 'north'), digest('B', 'north', 'coast')], [], ledger)).toEqual([
    { name: 'A', every: 'day' as const, dueFrom: '2026-11-01' },
    { name: 'B', every: 'day' as const, dueFrom: '2026-10-31' },
  ]);
});

test('a known digest keeps its beginning, and one that is gone from the settings has none', () => {
  const known = [
    { name: 'A', every: 'day' as const, dueFrom: '2026-01-01' },
    { name: 'B', every: 'day' as const, dueFrom: null },
    { name: 'Gone', every: 'day' as const, dueFrom: null },
  ];
  const ledger = [entry('north', '2026-11-18')];
  expect(digestStarts([digest('A', 'north'), digest('B', 'north')], known, ledger)).toEqual(
    known.slice(0, 2),
  );
});

test('one that becomes weekly begins anew, and the newest day is that of the calendar, not of the ledger', () => {
  const known = [{ name: 'A', every: 'day' as const, dueFrom: '2026-01-01' }];
  const ledger = ['2026-11-18', '2026-11-16', '2026-11-17'].map((day) => entry('north', day));
  const weekly = definition({ name: 'A', every: 'week', accounts: ['north'] });
  expect(digestStarts([weekly, digest('B', 'north')], known, ledger)).toEqual([
    { name: 'A', every: 'week' as const, dueFrom: '2026-11-19' },
    { name: 'B', every: 'day' as const, dueFrom: '2026-11-19' },
  ]);
});
