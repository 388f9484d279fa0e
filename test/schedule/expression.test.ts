import { expect, it } from 'vitest';
import { scheduleWarnings } from '../../src/schedule/expression.ts';

const now = Temporal.Instant.from('2026-11-21T12:00:00Z');
const warned = (expression: string, timeZone: string) => scheduleWarnings({ expression, timeZone }, now);

const skipped = (time: string, day: string, at: string) =>
  `${time} is skipped there on ${day}: it runs at ${at} then`;
const twice = (time: string, day: string) => `${time} comes twice there on ${day}: it runs at the first`;

it.each<[string, string, string | null]>([
  ['30 2 * * *', 'America/New_York', skipped('02:30', '2027-03-14', '03:00')],
  ['30 1 * * *', 'America/New_York', twice('01:30', '2027-11-07')],
  ['30 2 * * 0', 'Europe/Madrid', skipped('02:30', '2027-03-28', '03:00')],
  ['30 23 * * *', 'Africa/Cairo', twice('23:30', '2027-10-28')],
  ['15 2 * * *', 'Australia/Lord_Howe', skipped('02:15', '2027-10-03', '02:30')],
  // Not on the next change of the clocks, but on one of the next years.
  ['15 2 1 * *', 'Australia/Lord_Howe', skipped('02:15', '2028-10-01', '02:30')],
  ['59 0 * * *', 'America/New_York', null],
  ['0 3 * * *', 'America/New_York', null],
  // Clocks change on Sundays.
  ['30 2 * * 1', 'Europe/Madrid', null],
  ['30 2 * * *', 'UTC', null],
  // It had summer time, until 2019.
  ['30 2 * * *', 'America/Sao_Paulo', null],
])('a schedule of %s in %s is warned of by what its clocks do: %s', (expression, zone, event) => {
  const change = `clocks change in ${zone}, and ${event}`;
  const line = `SCHEDULE "${expression}": ${change}; a better time is SCHEDULE='30 6 * * *'`;
  expect(warned(expression, zone)).toEqual(event === null ? [] : [line]);
});

it.each([
  [true, ['30 6 1 * 1', '30 6 */2 * mon-fri', '0 30 6 L * 5L']],
  [false, ['30 6 1 * *', '30 6 * * 1', '30 6 ? * 1', '30 6 1-31 * 0-6', '@weekly']],
])('a schedule both of whose days must match is warned of: %s of %j', (isWarned, expressions) => {
  for (const expression of expressions) {
    const line = expect.stringContaining(`SCHEDULE "${expression}" has a day of month and a day of week`);
    expect(warned(expression, 'UTC')).toEqual(isWarned ? [line] : []);
  }
});
