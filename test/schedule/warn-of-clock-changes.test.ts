import { expect, it } from 'vitest';
import { scheduledTimesOf } from '../../src/cron/scheduled-times.ts';
import { warnOfClockChanges } from '../../src/schedule/warn-of-clock-changes.ts';

const warned = (expression: string, timeZone: string, now = '2026-11-21T12:00:00Z') => {
  const schedule = { expression, timeZone };
  return warnOfClockChanges(schedule, scheduledTimesOf(schedule), Temporal.Instant.from(now));
};

it.each([
  ['30 2 * * *', 'America/New_York', '2027-03-14'],
  ['0 1 * * 1', 'Europe/Madrid', '2027-03-28'],
  ['15 2 1 * *', 'Australia/Lord_Howe', '2027-04-04'],
])('a schedule of %s in %s is warned of, with the day of the next change', (expression, zone, day) => {
  expect(warned(expression, zone)).toMatch(`SCHEDULE "${expression}" comes between 01:00 and 03:00`);
  expect(warned(expression, zone)).toMatch(`in ${zone}, next on ${day}: `);
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
  expect(warned(expression, zone)).toBeNull();
});
