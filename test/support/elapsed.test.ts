import { expect, test } from 'vitest';
import { formatElapsed } from '../../src/support/english.ts';

test('how long something took is never 0.0 s: short times are in milliseconds, long ones in their greatest units', () => {
  expect([0, 83.4, 999.4, 999.5, 1_000, 59_949, 59_950, 60_000, 200_000].map(formatElapsed)).toEqual([
    '0 ms',
    '83 ms',
    '999 ms',
    '1.0 s',
    '1.0 s',
    '59.9 s',
    '1 min',
    '1 min',
    '3 min 20 s',
  ]);
});
