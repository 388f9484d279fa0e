import { expect, test } from 'vitest';
import { formatElapsed, formatScheduledTime } from '../../src/support/english.ts';

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

test('a scheduled time is a date and a time of its zone, with the year if it is another one', () => {
  const now = Temporal.Instant.from('2026-11-28T04:59:00Z');
  const written = ['2026-11-28T17:21:00Z', '2028-02-29T05:00:00Z'].map((time) =>
    formatScheduledTime(Temporal.Instant.from(time), 'America/New_York', now),
  );
  expect(written).toEqual(['28 Nov, 12:21 (America/New_York)', '29 Feb 2028, 00:00 (America/New_York)']);
});
