import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../src/model/day.ts';
import {
  daysOf,
  digestName,
  endsBetween,
  everyChoices,
  periodBefore,
  periodOf,
} from '../../src/model/period.ts';

const someDay = fc.integer({ min: 0, max: 60_000 }).map((count) => addDays('1970-01-01', count));
const every = fc.constantFrom(...everyChoices);

test('a week is from Monday to Sunday, a month from the first to the last of the calendar', () => {
  expect(periodOf('day', '2026-11-19')).toEqual({ every: 'day', from: '2026-11-19', to: '2026-11-19' });
  const week = { every: 'week', from: '2026-11-16', to: '2026-11-22' };
  for (const day of ['2026-11-16', '2026-11-19', '2026-11-22']) expect(periodOf('week', day)).toEqual(week);
  expect(periodOf('week', '2027-01-01')).toMatchObject({ from: '2026-12-28', to: '2027-01-03' });
  expect(periodOf('month', '2028-02-10')).toEqual({ every: 'month', from: '2028-02-01', to: '2028-02-29' });
});

test('each day is of one period, and the one before ends the day before it', () => {
  fc.assert(
    fc.property(every, someDay, (every, day) => {
      const period = periodOf(every, day);
      const days = daysOf(period);
      expect(days).toContain(day);
      expect(days.at(-1)).toBe(period.to);
      for (const each of days) expect(periodOf(every, each)).toEqual(period);
      expect(addDays(periodBefore(period).to, 1)).toBe(period.from);
      expect(periodOf(every, addDays(period.to, 1)).from).toBe(addDays(period.to, 1));
    }),
  );
});

test('the periods that end within a span end on the last day of each', () => {
  fc.assert(
    fc.property(every, someDay, fc.integer({ min: 0, max: 100 }), (every, first, more) => {
      const last = addDays(first, more);
      const ends = daysOf({ from: first, to: last }).filter((day) => periodOf(every, day).to === day);
      expect(endsBetween(every, first, last)).toEqual(ends);
    }),
  );
});

test('logs and commands name a digest by its period', () => {
  const name = (every: (typeof everyChoices)[number]) =>
    digestName({ name: 'Coast', every, day: '2026-11-30' });
  expect(everyChoices.map(name)).toEqual([
    'Coast of 2026-11-30',
    'Coast of the week of 2026-11-30',
    'Coast of 2026-11',
  ]);
});
