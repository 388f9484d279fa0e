import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFormat, rate } from '../../src/digest/format.ts';

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

test('rates have one decimal, and a dash where there is none', () => {
  expect(format.rate(0.61)).toBe('61.0%');
  expect(format.rate(0.6149)).toBe('61.5%');
  expect(format.rate(0)).toBe('0.0%');
  expect(format.rate(1)).toBe('100.0%');
  expect(format.rate(null)).toBe('–');
});

test('changes have a sign, a true minus, and words where there is no number', () => {
  const change = (now: number, reference: number) => format.change({ now, reference });
  expect([change(104, 100), change(979, 1_000), change(1_350, 100)]).toEqual(['+4%', '−2%', '+1,250%']);
  expect([change(1_046, 1_000), change(1_995, 1_000), change(954, 1_000)]).toEqual(['+5%', '+100%', '−5%']);
  expect([change(1_001, 1_000), change(0, 0), change(5, 0)]).toEqual(['no change', 'no change', 'up from 0']);
});

test('changes of rates are in points', () => {
  const points = (now: number, reference: number) => format.points({ now, reference });
  expect([points(0.612, 0.6), points(0.5, 0.61), points(0.6004, 0.6)]).toEqual([
    '+1.2 points',
    '−11.0 points',
    'no change',
  ]);
});

test('a day is written with its weekday, and with its year where that is another', () => {
  const dated = createFormat('en-GB', 'UTC', '2026-01-02');
  expect(dated.day('2026-11-19')).toBe('Thu 19 Nov');
  expect(dated.day('2025-12-30')).toBe('Tue 30 Dec 2025');
  expect(dated.longDay('2027-01-01')).toBe('Friday 1 January 2027');
  expect([dated.weekday('2026-11-19'), dated.longWeekday('2026-11-19')]).toEqual(['Thu', 'Thursday']);
});

test('days in a row are written as a range', () => {
  expect(format.days('2026-11-16', '2026-11-19')).toBe('16–19 Nov');
  expect(format.days('2026-10-30', '2026-11-02')).toBe('30 Oct–2 Nov');
  expect(format.days('2026-11-01', '2026-11-01')).toBe('1 Nov');
});

test('money keeps every digit that was reported', () => {
  expect(format.money('1234.5')).toBe('1,234.50');
  expect(format.money('-0.005')).toBe('−0.005');
  expect(format.money('123456789012345678901.25')).toBe('123,456,789,012,345,678,901.25');
});

describe('a digest’s locale and zone', () => {
  const spanish = createFormat('es', 'Europe/Madrid');

  test('are used for its numbers and dates', () => {
    expect([spanish.count(1_234_567), spanish.count(1_234)]).toEqual(['1.234.567', '1.234']);
    expect(spanish.money('1234567.5')).toBe('1.234.567,50');
    expect(spanish.longDay('2026-11-19')).toBe('jueves 19 de noviembre de 2026');
    const american = createFormat('en-US', 'UTC', '2026-11-19');
    expect(american.day('2026-11-19')).toBe('Thu Nov 19');
    expect(american.longDay('2026-11-19')).toBe('Thursday, November 19, 2026');
  });

  test('are used for its timestamps, before and after a daylight-saving change', () => {
    const madrid = createFormat('en-GB', 'Europe/Madrid', '2026-11-19');
    expect(madrid.time('2026-11-20 06:30:02.5+00')).toBe('20 Nov, 07:30 CET');
    expect(madrid.time('2026-07-20 23:30:02+02')).toBe('20 Jul, 23:30 CEST');
    expect(madrid.time('2026-12-31 23:30:02+00')).toBe('1 Jan 2027, 00:30 CET');
    expect(spanish.time('2026-11-20 06:30:02+00')).toBe('20 nov, 7:30 CET');
  });
});

test('nouns are counted and lists joined as the language does', () => {
  const { campaigns } = format.words;
  expect([0, 1, 1_200].map((count) => format.countOf(count, campaigns))).toEqual([
    '0 campaigns',
    '1 campaign',
    '1,200 campaigns',
  ]);
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(format.list)).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
  ]);
  expect(createFormat('es', 'UTC').list(['a', 'b', 'c'])).toBe('a, b y c');
});
