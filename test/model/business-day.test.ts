import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, daysBetween, isDay, isOver, today, yesterday } from '../../src/model/day.ts';

const instant = (text: string) => Temporal.Instant.from(text);
const dayMs = 86_400_000;
const utc = (day: string) => Date.parse(`${day}T00:00:00Z`);

describe('the previous day', () => {
  test('depends on the zone, not on UTC', () => {
    const now = instant('2026-11-19T05:30:00Z');
    expect(yesterday(now, 'UTC')).toBe('2026-11-18');
    expect(yesterday(now, 'America/New_York')).toBe('2026-11-18');
    expect(yesterday(now, 'America/Los_Angeles')).toBe('2026-11-17');
    expect(yesterday(now, 'Pacific/Kiritimati')).toBe('2026-11-18');
    expect(yesterday(instant('2026-11-19T10:00:00Z'), 'Pacific/Kiritimati')).toBe('2026-11-19');
  });

  test('crosses the ends of months and years, and leap days', () => {
    expect(yesterday(instant('2027-01-01T06:30:00Z'), 'UTC')).toBe('2026-12-31');
    expect(yesterday(instant('2028-03-01T06:30:00Z'), 'UTC')).toBe('2028-02-29');
    expect(yesterday(instant('2026-03-01T06:30:00Z'), 'UTC')).toBe('2026-02-28');
    expect(yesterday(instant('2026-03-01T04:59:59Z'), 'America/New_York')).toBe('2026-02-27');
  });
});

describe('a day is over', () => {
  test('at one o’clock where the clocks skip midnight', () => {
    expect(isOver('2018-11-03', 'America/Sao_Paulo', instant('2018-11-04T02:59:59.999Z'))).toBe(false);
    expect(isOver('2018-11-03', 'America/Sao_Paulo', instant('2018-11-04T03:00:00Z'))).toBe(true);
  });

  test('after 23 hours in spring and after 25 in autumn', () => {
    expect(isOver('2026-03-08', 'America/New_York', instant('2026-03-09T04:00:00Z'))).toBe(true);
    expect(isOver('2026-03-08', 'America/New_York', instant('2026-03-09T03:59:59Z'))).toBe(false);
    expect(isOver('2026-11-01', 'America/New_York', instant('2026-11-02T05:00:00Z'))).toBe(true);
    expect(isOver('2026-11-01', 'America/New_York', instant('2026-11-02T04:59:59Z'))).toBe(false);
  });

  test('with the day before where the calendar skips it, as Samoa did', () => {
    const end = instant('2011-12-30T10:00:00Z');
    for (const day of ['2011-12-29', '2011-12-30']) {
      expect(isOver(day, 'Pacific/Apia', end.subtract({ nanoseconds: 1 })), day).toBe(false);
      expect(isOver(day, 'Pacific/Apia', end), day).toBe(true);
    }
    expect(today(end, 'Pacific/Apia')).toBe('2011-12-31');
  });
});

describe('a range of days', () => {
  const day = fc
    .integer({ min: utc('2000-01-01') / dayMs, max: utc('2040-12-31') / dayMs })
    .map((number) => new Date(number * dayMs).toISOString().slice(0, 10));

  test('holds both its ends and every day between them once, in order', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: 0, max: 800 }), (from, count) => {
        const to = addDays(from, count);
        const days = daysBetween(from, to);
        expect(days).toHaveLength(count + 1);
        expect(days.map(utc)).toEqual(days.map((_, index) => utc(from) + index * dayMs));
        expect(days.at(-1)).toBe(to);
      }),
    );
  });

  test('is empty where its end is earlier', () => {
    fc.assert(
      fc.property(day, fc.integer({ min: 1, max: 800 }), (from, count) => {
        expect(daysBetween(from, addDays(from, -count))).toEqual([]);
      }),
    );
  });
});

test('a day is a real one of the calendar in ISO form, and nothing else', () => {
  const days = ['2026-11-19', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'];
  const notInCalendar = ['2026-02-30', '2026-02-29', '1900-02-29', '2026-04-31', '2026-13-01', '2026-00-10'];
  const otherForms = [
    '2026-2-3',
    '02-03-2026',
    '20260203',
    '2026-02-03T00:00',
    ' 2026-02-03',
    '2026-02-03\n',
  ];
  const odd = ['', '+002026-02-03', '-2026-02-03', '2026-02-0３', 'yesterday'];
  expect([...days, ...notInCalendar, ...otherForms, ...odd].filter(isDay)).toEqual(days);
});
