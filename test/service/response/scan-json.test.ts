import { describe, expect, it } from 'vitest';
import { maxDepth, maxValues, scanJson } from '../../../src/service/response/scan-json.ts';

/** The numbers that may not fit a double. */
const longNumbers = (text: string) => scanJson(text).map(([start, end]) => text.slice(start, end));

describe('a text of JSON', () => {
  it('is searched for numbers of more than fifteen signs, and for those with an exponent', () => {
    expect(
      longNumbers('{"a":123456789012345,"b":1234567890123456,"c":[-12345678901234,-123456789012345]}'),
    ).toEqual(['1234567890123456', '-123456789012345']);
    expect(longNumbers('[1e3, 1E3 ,-2.5e+10,3e-1,0.5]')).toEqual(['1e3', '1E3', '-2.5e+10', '3e-1']);
    expect(longNumbers('0123456789.123456')).toEqual(['0123456789.123456']);
    expect(longNumbers('9999999999999999')).toEqual(['9999999999999999']);
  });

  it('has none in its texts, whatever is escaped in them', () => {
    expect(longNumbers('["1234567890123456","\\"1234567890123456","\\\\",1234567890123456]')).toEqual([
      '1234567890123456',
    ]);
    expect(longNumbers('["x123456789012345678","y\\"123456789012345678"]')).toEqual([]);
    expect(longNumbers('"x1234567890123456')).toEqual([]);
    expect(longNumbers('"\\')).toEqual([]);
  });
});

describe('a text that would be built into too much', () => {
  const records = (count: number) => `{"result":[${'0,'.repeat(count - 1)}0]}`;
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const values = (count: number) => `[[[${'0,'.repeat(count - 4)}0]]]`;
  const thrown = (text: string) => {
    try {
      scanJson(text);
      return null;
    } catch (error) {
      return error;
    }
  };

  it.each([
    ['records', records(100_000), records(100_001), 'the body has more than 100000 records'],
    ['levels', nested(maxDepth), nested(maxDepth + 1), 'the body is nested deeper than 10000 levels'],
    [
      'values',
      values(maxValues),
      values(maxValues + 1),
      'the body has more than 1000000 values, records and fields together',
    ],
  ])('is refused by the bound of its %s, once it is above it', (_, most, more, message) => {
    expect(thrown(most)).toBeNull();
    expect(thrown(more)).toMatchObject({ code: 'INVALID_RESPONSE', message, isRetryable: false });
  });

  it('is as deep as it is at once: what is closed counts no more, and its records are those of the envelope', () => {
    expect(thrown(`[${'[[]],'.repeat(maxDepth)}{"a":{}}]`)).toBeNull();
    expect(thrown(`{"result":[[${'0,'.repeat(100_001)}0]]}`)).toBeNull();
    expect(thrown(`{"a":{"b":1},"result":[${'[],'.repeat(100_000)}0]}`)).toMatchObject({
      message: 'the body has more than 100000 records',
    });
  });
});
