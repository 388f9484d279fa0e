import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactly } from '../../../src/service/response/exact-json.ts';

describe('parsing without rounding', () => {
  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9007199254740991', 9007199254740991],
    ['1e400', '1e400'],
    ['1.5e300', '1.5e300'],
    ['1e3', 1000],
    ['1e-2', 0.01],
    ['1234.50', 1234.5],
    ['0.123456789012345', 0.123456789012345],
    ['0.1234567890123456', '0.1234567890123456'],
    ['-1234567890.123456', '-1234567890.123456'],
    ['1.50000000000000000000', 1.5],
    ['0.00000000000000000000015', 1.5e-22],
    ['1.234567890123456e-10', '1.234567890123456e-10'],
  ])('%s is %j', (text, value) => {
    expect(parseExactly(`{"n":${text}}`)).toEqual({ n: value });
  });

  it('keeps every whole number of any length, as a number or as its digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (number) => {
        const parsed = (parseExactly(`[${number}]`) as [number | string])[0];
        expect(BigInt(parsed)).toBe(number);
      }),
    );
  });

  it('is JSON.parse for everything that a double holds', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        // Large powers of ten are whole numbers beyond 2^53, and may not be rounded either.
        const numeric = /\d[\d.]{15}|\de/.test(text);
        if (!numeric) expect(parseExactly(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['<html>', '{"n": 12345678901234567890', '[00012345678901234567890]'])(
    'throws a SyntaxError for %s',
    (text) => {
      expect(() => parseExactly(text)).toThrow(SyntaxError);
    },
  );

  it('leaves texts that hold long numbers as they are', () => {
    const value = { 'a: 12345678901234567890': ['x, 12345678901234567890', '1e400', '"\\: 1e400'], n: 1.5 };
    expect(parseExactly(JSON.stringify(value))).toEqual(value);
  });

  it.each(['{"n":%}', '{"n":\n\t%\n}', '[1,%]', '{"a":"x","n": % ,"b":1}'])(
    'finds a number wherever it stands: %s',
    (around) => {
      for (const number of ['9007199254740993', '1E400', '-1.5e+300', '0.12345678901234567'])
        expect(JSON.stringify(parseExactly(around.replace('%', number)))).toContain(`"${number}"`);
    },
  );

  it('takes no time that grows with the square of a number’s length', () => {
    const number = `0.1${'0'.repeat(2_000_000)}1`;
    // With the square of it, this takes an hour.
    expect(parseExactly(`[${number}]`)).toEqual([number]);
  });
});
