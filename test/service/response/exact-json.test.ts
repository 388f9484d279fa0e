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
    ['0.123456789012345', 0.123456789012345],
    ['0.1234567890123456', '0.1234567890123456'],
    ['-1234567890.123456', '-1234567890.123456'],
    ['1.50000000000000000000', 1.5],
    ['0.1234567890123450', 0.123456789012345],
    ['0.00000000000000000000015', 1.5e-22],
    ['1.23456789012345e-10', 1.23456789012345e-10],
    ['1.234567890123456e-10', '1.234567890123456e-10'],
    ['1e-2', 0.01],
    ['12E+2', 1200],
    ['1.5e300', '1.5e300'],
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
    for (const text of [
      '{"n": 12345678901234567890',
      '{12345678901234567890: 1}',
      '{12345678901234567890  : 1}',
      '[00012345678901234567890]',
      '[12345678901234567890.]',
      '[1e5x12345678901234567890]',
      '[+12345678901234567890]',
      '[12345678901234567890e]',
    ])
      expect(() => parseExactly(text), text).toThrow(SyntaxError);
  });

  it('leaves texts that hold long numbers as they are', () => {
    const value = { 'a: 12345678901234567890': ['x, 12345678901234567890', '1e400', '"\\: 1e400'], n: 1.5 };
    expect(parseExactly(JSON.stringify(value))).toEqual(value);
  });

  it.each(['{"n":%}', '{"n": %}', '{"n":\n\t%\n}', '{"a":[1,%]}', '[%]', '{"a":"x","n":%,"b":1}'])(
    'finds a number wherever it stands: %s',
    (around) => {
      for (const number of [
        '9007199254740993',
        '-9007199254740993',
        '1E400',
        '-1.5e+300',
        '0.12345678901234567',
      ])
        expect(JSON.stringify(parseExactly(around.replace('%', number)))).toContain(`"${number}"`);
    },
  );

  it('leaves what stands around a number as it is', () => {
    expect(parseExactly('{"a":"x","n":12345678901234567890 ,"b":[1, -12345678901234567890,2]}')).toEqual({
      a: 'x',
      n: '12345678901234567890',
      b: [1, '-12345678901234567890', 2],
    });
  });
});
