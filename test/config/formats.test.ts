import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import {
  cronExpression,
  duration,
  errorOf,
  oneOf,
  passphrase,
  rate,
  shortName,
  timeZone,
  wholeNumber,
  yesOrNo,
} from '../../src/config/formats.ts';

const refuses = (type: z.ZodType, texts: readonly string[], error: RegExp) => {
  for (const text of texts) expect(errorOf(type, text), JSON.stringify(text)).toMatch(error);
};

describe('a whole number', () => {
  test('is read within its bounds and refused beyond them', () => {
    const bound = fc.integer({ min: 0, max: 10_000 });
    fc.assert(
      fc.property(bound, bound, fc.integer({ min: 0, max: 20_000 }), (min, max, number) => {
        const type = wholeNumber(min, max);
        if (min <= number && number <= max) expect(type.parse(`${number}`)).toBe(number);
        else expect(errorOf(type, `${number}`)).toBe(`not a whole number from ${min} to ${max}`);
      }),
    );
  });

  test('is digits and nothing else', () => {
    const texts = ['', ' ', '1.0', '1e2', '0x10', '-1', '+1', ' 1', '1\n', '1,000', '１', 'NaN', 'Infinity'];
    refuses(wholeNumber(0, 10_000), texts, /not a whole number/);
  });
});

test('a rate is a plain number above zero', () => {
  expect(['0.01', '0.5', '20', '1000'].map((text) => rate.parse(text))).toEqual([0.01, 0.5, 20, 1_000]);
  refuses(
    rate,
    ['', '0', '0.0', '0.009', '1000.1', '-1', '1e2', '.5', '5/s'],
    /not a number from 0.01 to 1000/,
  );
});

describe('a cron expression', () => {
  test.each([
    ['30 6 * * *', '30 6 * * *'],
    ['0 30 6 * * *', '0 30 6 * * *'],
    [' 30\t6  1,15 jan-jun mon ', '30 6 1,15 jan-jun mon'],
    ['30 6 L * ?', '30 6 L * ?'],
    ['@daily', '@daily'],
  ])('of %j is read as %j', (text, expression) => {
    expect(cronExpression.parse(text)).toBe(expression);
  });

  test.each([
    ['', 'pattern includes illegal characters'],
    ['6 30', 'expected 5 or 6 fields but got 2'],
    ['0 0 30 6 * * *', 'expected 5 or 6 fields but got 7'],
    ['60 24 * * *', '60 is a invalid expression for minute, 24 is a invalid expression for hour'],
    ['30 6 30 2 *', '30 2 is an impossible day of month for the given month'],
    ['30 6 1 * 1#2', 'no date matches it'],
  ])('of %j is refused: %s', (text, error) => {
    expect(errorOf(cronExpression, text)).toBe(`not a cron expression: ${error}`);
  });
});

describe('a duration', () => {
  const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

  test('is a number above zero with its unit, in milliseconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.constantFrom('ms', 's', 'm', 'h'), (number, unit) => {
        expect(duration.parse(`${number}${unit}`)).toBe(number * units[unit]);
      }),
    );
  });

  test('is refused without a unit, at zero, and beyond what a timer can hold', () => {
    const texts = ['30', '0s', '-5s', '1.5s', '30 s', '30S', 's', '', '1d', '2147483648ms', '597h'];
    refuses(duration, ['x30s', '30sx', '1 30s', '30s5m'], /not a duration above zero/);
    refuses(duration, texts, /not a duration above zero with its unit \(ms, s, m, h\)/);
    expect(duration.parse('2147483647ms')).toBe(2 ** 31 - 1);
  });
});

describe('a time zone', () => {
  test('is one of the IANA database, and is spelt as there', () => {
    expect(timeZone.parse('europe/madrid')).toBe('Europe/Madrid');
    for (const zone of ['UTC', 'Etc/GMT+12', 'America/Argentina/Buenos_Aires'])
      expect(timeZone.parse(zone)).toBe(zone);
  });

  test('is no offset, whose sign Postgres reads the other way, and no date with a zone', () => {
    const texts = ['+02:00', '-0300', '2026-11-19T00:00[Europe/Madrid]', '', 'Mars/Phobos', 'UTC+2', 'local'];
    refuses(timeZone, texts, /not a time zone of the IANA database/);
  });
});

test('a secret to be sent over HTTP is 16 characters of ASCII or more', () => {
  expect(passphrase.parse('0123456789abc:e/')).toBe('0123456789abc:e/');
  refuses(passphrase, ['', '0123456789abcde'], /shorter than 16 characters|other than ASCII/);
  refuses(passphrase, ['sixteen or more of them', '0123456789abcdefé'], /white space or other than ASCII/);
});

test('yes and no are read in upper and lower case, and nothing else is accepted', () => {
  for (const text of ['true', 'TRUE', 'Yes', '1']) expect(yesOrNo.parse(text)).toBe(true);
  for (const text of ['false', 'No', '0']) expect(yesOrNo.parse(text)).toBe(false);
  refuses(yesOrNo, ['', 'on', 'y', '2', ' true'], /neither true nor false/);
});

test('one of several words is read as written, and an error names the choices', () => {
  expect(oneOf('json', 'pretty').parse('pretty')).toBe('pretty');
  refuses(oneOf('json', 'pretty'), ['', 'JSON', 'pretty '], /not one of json, pretty/);
});

test('a short name is of letters, digits, blanks and a few signs, 63 at most', () => {
  for (const name of ['a', '7', 'Ñandú-co.', 'main office', 'x'.repeat(63)])
    expect(shortName.parse(name)).toBe(name);
  for (const name of ['', ' a', '-a', 'a/b', 'a\n', 'x'.repeat(64), 'a&b'])
    expect([name, shortName.safeParse(name).success]).toEqual([name, false]);
});
