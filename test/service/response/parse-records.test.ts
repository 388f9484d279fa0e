import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Extra } from '../../../src/model/records.ts';
import { readCount } from '../../../src/service/response/count.ts';
import { id as idSchema, parseRecords } from '../../../src/service/response/parse-records.ts';

const schema = z.looseObject({ id: idSchema, count: z.unknown().transform(readCount).optional() });
const parse = (...raw: readonly unknown[]) =>
  parseRecords(
    raw,
    schema,
    'id',
    ({ id, count, ...extra }) => ({ id, count, extra: extra as Extra }),
    [],
    ['count'],
  );

describe('the same id twice', () => {
  it('is one record where both are identical, whatever the order of their fields', () => {
    expect(parse({ id: 7, count: 1 }, { count: 1, id: 7 }, { id: 7, count: 1 })).toStrictEqual({
      records: [{ id: 7, count: 1, extra: {} }],
      rejects: [],
      rejectCount: 0,
      logged: [],
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
      logged: [],
    });
  });
});

it('an id is read as a count is, and is nothing else', () => {
  const { MAX_SAFE_INTEGER } = Number;
  for (const value of [
    0,
    ' 12 ',
    '1,234',
    MAX_SAFE_INTEGER,
    -1,
    '0.5',
    2 ** 53,
    '9007199254740992',
    'a1',
    null,
  ])
    expect([value, idSchema.safeParse(value).data ?? null]).toEqual([value, readCount(value)]);
});

describe('a text that can not be kept', () => {
  const zero = 'a text with U+0000 in it';
  const half = 'a text that is not UTF-8, or half of a character';

  it('is null, however deep, and its record loads with its counts', () => {
    const { records, rejects, logged } = parse(
      { id: 1, count: 5, a: 'x\0', b: 'fine' },
      { id: 2, a: [{ b: '\ud800' }] },
      { id: 3, '\0': 1, c: '\ud83c\udf89 \ufffd' },
      { id: 4, a: '\ud83d' },
    );
    expect(records).toEqual([
      { id: 1, count: 5, extra: { a: null, b: 'fine' } },
      { id: 2, extra: { a: null } },
      { id: 3, extra: { c: '\ud83c\udf89 \ufffd' } },
      { id: 4, extra: { a: null } },
    ]);
    expect(rejects).toEqual([]);
    expect(logged).toEqual([`left out of 2 records: ${zero}`, `left out of 2 records: ${half}`]);
  });

  it('is a count that can not be read, where it stands for one', () => {
    expect(parse({ id: 1, count: '5\0' })).toMatchObject({ records: [{ count: null }], unreadableCounts: 1 });
  });

  it('makes no other of a repeated record', () => {
    expect(parse({ id: 1, a: '\0' }, { id: 1, a: null })).toMatchObject({
      records: [{ id: 1 }],
      rejects: [],
    });
  });

  it('is what is nested deeper than 100 levels, or larger than 64 KB', () => {
    const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}1,null,"x"${']'.repeat(depth)}`);
    const sized = (bytes: number) => ({ id: 1, a: 'x'.repeat(bytes - '{"id":1,"a":""}'.length) });
    for (const kept of [{ id: 1, deep: nested(99) }, sized(65_536)]) expect(parse(kept).logged).toEqual([]);
    const deepest = JSON.parse(`${'{"1":'.repeat(100_000)}1${'}'.repeat(100_000)}`);
    expect(parse({ id: 1, deep: nested(100) }, { id: 2, deep: deepest, a: 1 })).toMatchObject({
      records: [
        { id: 1, extra: { deep: null } },
        { id: 2, extra: { deep: null, a: 1 } },
      ],
      logged: ['left out of 2 records: nested deeper than 100 levels'],
    });
    expect(parse({ id: 1, count: 3, a: 'é'.repeat(40_000), b: 1 })).toMatchObject({
      records: [{ id: 1, count: 3, extra: { a: null, b: 1 } }],
      logged: ['left out of 1 record: larger than 64 KB'],
    });
    // Together they are too large.
    const half = 'x'.repeat(40_000);
    expect(parse(sized(65_537), { id: 2, count: 3, a: half, b: half })).toEqual({
      records: [
        { id: 1, extra: {} },
        { id: 2, count: 3, extra: {} },
      ],
      rejects: [],
      rejectCount: 0,
      logged: ['left out of 2 records: larger than 64 KB'],
    });
  });
});

describe('a record without an id', () => {
  it('goes to quarantine with its reason', () => {
    const reasons = parse({ count: 1 }, { id: 'x' }, 'text', null, [1]).rejects.map(({ reason }) => reason);
    expect(reasons).toEqual([
      'id: not a whole number from 0 to 2^53 - 1',
      'id: not a whole number from 0 to 2^53 - 1',
      expect.stringMatching(/^record: /),
      expect.stringMatching(/^record: /),
      expect.stringMatching(/^record: /),
    ]);
  });

  it('is one of the hundred that are kept, or of their number alone', () => {
    const raw = Array.from({ length: 150 }, (_, index) => ({ id: index < 120 ? -1 : index, count: 1 }));
    const { records, rejects, rejectCount } = parse(...raw, { id: 149, count: 2 });
    expect(records.map(({ id }) => id)).toEqual(Array.from({ length: 29 }, (_, index) => index + 120));
    expect(rejects).toHaveLength(100);
    expect(rejectCount).toBe(122);
  });
});
