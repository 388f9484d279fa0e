import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Extra } from '../../../src/model/records.ts';
import { natural, parseRecords } from '../../../src/service/response/parse-records.ts';

const schema = z.looseObject({ id: natural, count: natural.optional() });
const parse = (...raw: readonly unknown[]) =>
  parseRecords(raw, schema, 'id', ({ id, count, ...extra }) => ({ id, count, extra: extra as Extra }));
const reasons = (...raw: readonly unknown[]) => parse(...raw).rejects.map(({ reason, id }) => [reason, id]);

describe('the same id twice', () => {
  it('is one record where both are identical, whatever the order of their fields', () => {
    expect(parse({ id: 7, count: 1 }, { count: 1, id: 7 }, { id: 7, count: 1 })).toStrictEqual({
      records: [{ id: 7, count: 1, extra: {} }],
      rejects: [],
      rejectCount: 0,
    });
  });

  it('is one record where both say the same, one with numbers and one with text', () => {
    expect(parse({ id: 7, count: 5 }, { id: '7', count: '5' })).toMatchObject({
      records: [{ id: 7, count: 5 }],
      rejects: [],
    });
  });

  it('is none where they differ: each version goes to quarantine once, and the neighbours load', () => {
    const differing = 'the same id with differing values';
    const one = { id: 7, count: 1 };
    const other = { id: '7', count: 2 };
    expect(parse({ id: 6 }, one, other, one, { id: 8 })).toEqual({
      records: [
        { id: 6, extra: {} },
        { id: 8, extra: {} },
      ],
      rejects: [
        { payload: '{"id":7,"count":1}', reason: differing, id: 7 },
        { payload: '{"id":"7","count":2}', reason: differing, id: 7 },
      ],
      rejectCount: 2,
    });
  });
});

describe('an id or a count', () => {
  it('may be a number, or the text of one', () => {
    for (const [text, value] of [
      [0, 0],
      ['0', 0],
      [' 12 ', 12],
      ['-0', -0],
      [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      [String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
    ] as const)
      expect([text, natural.safeParse(text).data]).toEqual([text, value]);
  });

  it('is nothing else: no fraction, nothing below 0 or beyond 2^53 − 1, no other text', () => {
    const others = [
      -1,
      '-1',
      0.5,
      '0.5',
      2 ** 53,
      '9007199254740992',
      '1e3',
      '0x10',
      '',
      ' ',
      'a1',
      '1a',
      null,
      true,
    ];
    for (const value of others) expect([value, natural.safeParse(value).success]).toEqual([value, false]);
  });
});

describe('a record that can not be read', () => {
  it('goes to quarantine with its reason, and with its id where that can be read', () => {
    expect(reasons({ id: 7, count: -1 }, { count: 1 }, 'text', null, [1])).toEqual([
      ['count: not a whole number from 0 to 2^53 - 1', 7],
      ['id: not a whole number from 0 to 2^53 - 1', null],
      [expect.stringMatching(/^record: /), null],
      [expect.stringMatching(/^record: /), null],
      [expect.stringMatching(/^record: /), null],
    ]);
    expect(reasons({ id: 7, count: -1 }, { id: 7, count: 1 })).toHaveLength(1);
  });

  it('is one with a text that Postgres can not hold, however deep, and in a name, too', () => {
    const zero = 'a text with U+0000 in it';
    const surrogate = 'a text that is not UTF-8, or half of a character';
    expect(reasons({ id: 1, a: 'x\0' }, { id: 2, a: [{ b: '\ud800' }] }, { id: 3, '\0': 1 })).toEqual([
      [zero, 1],
      [surrogate, 2],
      [zero, 3],
    ]);
    expect(reasons({ id: 1, a: '\ud83c\udf89 \ufffd', b: [null, 1, false, {}] })).toEqual([]);
  });

  it('is kept without its values where it is nested too deep to be written as JSON', () => {
    const raw = JSON.parse(`{"id":1,"deep":${'{"1":'.repeat(100_000)}1${'}'.repeat(100_000)}}`);
    expect(parse(raw, { id: 2 })).toEqual({
      records: [{ id: 2, extra: {} }],
      rejects: [{ payload: '(nested too deep for JSON)', reason: 'nested deeper than 100 levels', id: 1 }],
      rejectCount: 1,
    });
  });

  it('is one that is nested deeper than 100 levels', () => {
    const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}1,null,"x"${']'.repeat(depth)}`);
    expect(reasons({ id: 1, deep: nested(99) })).toEqual([]);
    expect(reasons({ id: 1, deep: nested(100) })).toEqual([['nested deeper than 100 levels', 1]]);
  });

  it('is one that is larger than 64 KB, of which the beginning is kept', () => {
    const sized = (bytes: number) => ({ id: 1, a: 'x'.repeat(bytes - '{"id":1,"a":""}'.length) });
    expect(reasons(sized(65_536))).toEqual([]);
    expect(parse(sized(65_537), { id: 2 })).toEqual({
      records: [{ id: 2, extra: {} }],
      rejects: [
        { payload: JSON.stringify(sized(65_537)).slice(0, 65_536), reason: 'larger than 64 KB', id: 1 },
      ],
      rejectCount: 1,
    });
    expect(reasons({ id: 1, a: 'é'.repeat(40_000) })).toEqual([['larger than 64 KB', 1]]);
  });

  it('is one of the hundred that are kept, or of their number alone', () => {
    const raw = Array.from({ length: 150 }, (_, index) => ({ id: index, count: index < 120 ? -1 : 1 }));
    const { records, rejects, rejectCount } = parse(...raw, { id: 149, count: 2 });
    expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 29 }, (_, index) => index + 120));
    expect(rejects.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(rejectCount).toBe(122);
  });
});
