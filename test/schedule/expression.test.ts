import { expect, it } from 'vitest';
import { scheduleWarnings } from '../../src/schedule/expression.ts';

const warned = (expression: string, timeZone: string, now = '2026-11-21T12:00:00Z') => {
  return scheduleWarnings({ expression, timeZone }, Temporal.Instant.from(now));
};

it.each([
  ['30 2 * * *', 'America/New_York', '2027-03-14'],
  ['0 1 * * 1', 'Europe/Madrid', '2027-03-28'],
  ['15 2 1 * *', 'Australia/Lord_Howe', '2027-04-04'],
])('a schedule of %s in %s is warned of, with the day of the next change', (expression, zone, day) => {
  const [warning, ...others] = warned(expression, zone);
  expect(warning).toMatch(`SCHEDULE "${expression}" runs between 01:00 and 03:00`);
  expect(warning).toMatch(`in ${zone}, next on ${day}: `);
  expect(others).toEqual([]);
});

it.each([
  ['30 6 * * *', 'America/New_York'],
  ['59 0 * * *', 'America/New_York'],
  ['0 3 * * *', 'Europe/Madrid'],
  ['30 2 * * *', 'UTC'],
  ['30 2 * * *', 'Asia/Tokyo'],
  // It had summer time, until 2019.
  ['30 2 * * *', 'America/Sao_Paulo'],
])('a schedule of %s in %s is not', (expression, zone) => {
  expect(warned(expression, zone)).toEqual([]);
});

it.each(['30 6 1 * 1', '30 6 */2 * mon-fri', '0 30 6 L * 5L'])(
  'a schedule of %s is warned of: both of its days must match',
  (expression) => {
    expect(warned(expression, 'UTC')).toEqual([
      expect.stringMatching(`SCHEDULE "${RegExp.escape(expression)}" .* it runs on days that match both`),
    ]);
  },
);

it.each(['30 6 1 * *', '30 6 * * 1', '30 6 ? * 1', '30 6 1-31 * 0-6', '@weekly'])(
  'a schedule of %s is not: one of its days is any',
  (expression) => {
    expect(warned(expression, 'UTC')).toEqual([]);
  },
);
