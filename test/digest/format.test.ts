import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCount, formatDay, formatRate, rate } from '../../src/digest/format.ts';

test('counts have their thousands set apart, and a dash where none was told', () => {
  expect(formatCount(12_480)).toBe('12,480');
  expect(formatCount(0)).toBe('0');
  expect(formatCount(2 ** 53 - 1)).toBe('9,007,199,254,740,991');
  expect(formatCount(null)).toBe('–');
});

test('every count reads back from its text', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (count) => {
      expect(Number(formatCount(count).replaceAll(',', ''))).toBe(count);
    }),
  );
});

test('a rate is null where there is nothing to divide, or to divide by', () => {
  expect(rate(0, 0)).toBeNull();
  expect(rate(5, 0)).toBeNull();
  expect(rate(null, 5)).toBeNull();
  expect(rate(5, null)).toBeNull();
  expect(rate(0, 5)).toBe(0);
  expect(rate(1, 4)).toBe(0.25);
  expect(rate(5, 4)).toBe(1.25);
});

test('rates are whole per cents, and a dash where there is none', () => {
  expect(formatRate(0.61)).toBe('61%');
  expect(formatRate(0.615)).toBe('62%');
  expect(formatRate(0)).toBe('0%');
  expect(formatRate(1)).toBe('100%');
  expect(formatRate(null)).toBe('–');
});

test('a day is told with its weekday, and with its year where there is room', () => {
  expect(formatDay('2026-11-19')).toBe('Thu 19 Nov');
  expect(formatDay('2026-11-19', 'long')).toBe('Thursday 19 November 2026');
  expect(formatDay('2028-02-29')).toBe('Tue 29 Feb');
  expect(formatDay('2027-01-01', 'long')).toBe('Friday 1 January 2027');
});
