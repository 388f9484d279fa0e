import { expect, it } from 'vitest';
import { scheduleWarnings } from '../../src/schedule/expression.ts';

const warned = (expression: string, timeZone: string, now = '2026-11-21T12:00:00Z') => {
  return scheduleWarnings({ expression, timeZone }, Temporal.Instant.from(now));
};

const skipped = (time: string, day: string, at: string) =>
  `${time} is skipped there on ${day}: it runs at ${at} then`;
const twice = (time: string, day: string) => `${time} comes twice there on ${day}: it runs at the first`;

it.each([
  ['30 2 * * *', 'America/New_York', skipped('02:30', '2027-03-14', '03:00')],
  ['30 1 * * *', 'America/New_York', twice('01:30', '2027-11-07')],
  ['30 2 * * 0', 'Europe/Madrid', skipped('02:30', '2027-03-28', '03:00')],
  ['30 23 * * *', 'Africa/Cairo', twice('23:30', '2027-10-28')],
  ['15 2 * * *', 'Australia/Lord_Howe', skipped('02:15', '2027-10-03', '02:30')],
  // Not on the next change of the clocks, but on one of the next years.
  ['15 2 1 * *', 'Australia/Lord_Howe', skipped('02:15', '2028-10-01', '02:30')],
])('a schedule of %s in %s is warned of: %s', (expression, zone, event) => {
  const change = `clocks change in ${zone}, and ${event}`;
  expect(warned(expression, zone)).toEqual([
    `SCHEDULE "${expression}": ${change}; a better time is SCHEDULE='30 6 * * *'`,
  ]);
});

it.each([
  ['59 0 * * *', 'America/New_York'],
  ['0 3 * * *', 'America/New_York'],
  // Clocks change on Sundays.
  ['30 2 * * 1', 'Europe/Madrid'],
  ['30 2 * * *', 'UTC'],
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
