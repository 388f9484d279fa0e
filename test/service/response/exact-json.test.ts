import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactly } from '../../../src/service/response/exact-json.ts';

describe('parsing without rounding', () => {
  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['1e400', '1e400'],
    ['0.12345678901234567890', '0.12345678901234567890'],
    ['9007199254740991', 9007199254740991],
    ['1234.50', 1234.5],
    ['1e3', 1000],
    ['0.1', 0.1],
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

  it('throws a SyntaxError for anything but JSON', () => {
    expect(() => parseExactly('<html>')).toThrow(SyntaxError);
    expect(() => parseExactly('{"n": 12345678901234567890')).toThrow(SyntaxError);
  });
});
