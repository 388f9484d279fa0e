import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFormat, rate } from '../../src/digest/format.ts';
import { formatList } from '../../src/support/english.ts';

const format = createFormat('en-GB', 'UTC');

test('counts have their thousands set apart, and a dash where none was reported', () => {
  expect(format.count(12_480)).toBe('12,480');
  expect(format.count(0)).toBe('0');
  expect(format.count(2 ** 53 - 1)).toBe('9,007,199,254,740,991');
  expect(format.count(null)).toBe('–');
});

test('every count reads back from its text', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (count) => {
      expect(Number(format.count(count).replaceAll(',', ''))).toBe(count);
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

test('rates are whole percentages, and a dash where there is none', () => {
  expect(format.rate(0.61)).toBe('61%');
  expect(format.rate(0.615)).toBe('62%');
  expect(format.rate(0)).toBe('0%');
  expect(format.rate(1)).toBe('100%');
  expect(format.rate(null)).toBe('–');
});

test('changes have a sign, except for zero', () => {
  expect([0.04, -0.021, 0, 12.5, 0.001].map(format.change)).toEqual(['+4%', '-2%', '0%', '+1,250%', '0%']);
});

test('a day is written with its weekday, and with its year where there is room', () => {
  expect(format.day('2026-11-19')).toBe('Thu 19 Nov');
  expect(format.longDay('2026-11-19')).toBe('Thursday 19 November 2026');
  expect(format.day('2028-02-29')).toBe('Tue 29 Feb');
  expect(format.longDay('2027-01-01')).toBe('Friday 1 January 2027');
  expect(format.weekday('2026-11-19')).toBe('Thu');
});

test('money keeps every digit that was reported', () => {
  expect(format.money('1234.5')).toBe('1,234.50');
  expect(format.money('-0.005')).toBe('-0.005');
  expect(format.money('123456789012345678901.25')).toBe('123,456,789,012,345,678,901.25');
});

describe('a digest’s locale and zone', () => {
  const spanish = createFormat('es', 'Europe/Madrid');

  test('are used for its numbers and dates', () => {
    expect(spanish.count(1_234_567)).toBe('1.234.567');
    expect(spanish.money('1234567.5')).toBe('1.234.567,50');
    expect(spanish.longDay('2026-11-19')).toBe('jueves 19 de noviembre de 2026');
    expect(createFormat('en-US', 'UTC').day('2026-11-19')).toBe('Thu Nov 19');
  });

  test('are used for its timestamps, before and after a daylight-saving change', () => {
    const madrid = createFormat('en-GB', 'Europe/Madrid');
    expect(madrid.time('2026-11-20 06:30:02.5+00')).toBe('20 Nov 2026, 07:30 CET');
    expect(madrid.time('2026-07-20 23:30:02+02')).toBe('20 Jul 2026, 23:30 CEST');
  });
});

test('nouns are counted and lists joined as in spoken English', () => {
  expect([0, 1, 1_200].map((count) => format.countOf(count, 'campaign'))).toEqual([
    '0 campaigns',
    '1 campaign',
    '1,200 campaigns',
  ]);
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(formatList)).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
  ]);
});
