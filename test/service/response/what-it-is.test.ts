import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/model/records.ts';
import { campaignSummarySchema, clientListSchema } from '../../../src/service/response/schema.ts';
import { createRedactor } from '../../../src/support/redaction.ts';
import { rounds } from '../../support/rounds.ts';
import { parseGood } from '../parse-good.ts';

/* What a response is read for (design, *A good response*): the kinds, each with its family. */

const redactor = createRedactor();
const parse = (body: unknown) =>
  parseGood(typeof body === 'string' ? body : JSON.stringify(body), campaignSummarySchema, redactor).content;
const pageOf = (body: unknown) => parseGood(JSON.stringify(body), clientListSchema(null), redactor).content;
const campaign = (callsetid: number, attempts: number, others: object = {}) => ({
  callsetid,
  campaign: `Campaign ${callsetid}`,
  attempts,
  busies: Math.floor(attempts / 10),
  connects: Math.floor(attempts / 2),
  liveanswers: Math.floor(attempts / 4),
  ...others,
});
const three = [campaign(501, 100), campaign(502, 200), campaign(503, 300)];
const sum = (name: 'attempts' | 'busies' | 'connects' | 'liveanswers', of = three) =>
  of.reduce((total, each) => total + each[name], 0);
const totalOf = (of = three) => ({
  callsetid: 0,
  campaign: 'Total',
  attempts: sum('attempts', of),
  busies: sum('busies', of),
  connects: sum('connects', of),
  liveanswers: sum('liveanswers', of),
});

describe('a record that sums up the others', () => {
  it('is no campaign, wherever it stands, and goes to quarantine', () => {
    for (const result of [
      [...three, totalOf()],
      [totalOf(), ...three],
    ])
      expect(parse({ campaigns: 3, result })).toMatchObject({
        records: [{ callsetId: 501 }, { callsetId: 502 }, { callsetId: 503 }],
        rejects: [{ id: 0, reason: 'the total of the other campaigns', isTotal: true }],
      });
  });

  it.each([
    ['there are two others', [...three.slice(0, 2), totalOf(three.slice(0, 2))]],
    ['one count is another', [...three, { ...totalOf(), busies: 1 }]],
    ['nobody was called', [0, 1, 2, 3].map((id) => campaign(id, 0))],
  ])('is one where %s', (_, result) => {
    expect(parse({ result }).records).toHaveLength(result.length);
  });

  it('is found among any campaigns, and nothing else is', () => {
    const some = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 999 }), fc.nat(5_000)), {
      minLength: 3,
      maxLength: 12,
      selector: ([id]) => id,
    });
    fc.assert(
      fc.property(some, (drawn) => {
        const own = drawn.map(([id, attempts]) => campaign(id, attempts));
        fc.pre(own.filter(({ attempts }) => attempts > 0).length > 1);
        const largest = Math.max(...own.map(({ attempts }) => attempts));
        const isOneTheSum = largest * 2 === sum('attempts', own);
        fc.pre(!isOneTheSum);
        expect(parse({ result: own }).records).toHaveLength(own.length);
        expect(parse({ result: [...own, totalOf(own)] }).records).toHaveLength(own.length);
      }),
      { numRuns: rounds(500) },
    );
  });
});

describe('no list is an empty one', () => {
  const nothing = [null, '', {}, undefined];

  it.each(nothing)('where a count says 0: %j', (result) => {
    expect(parse({ campaigns: 0, reports: 0, result })).toMatchObject({ records: [], rows: 0 });
    expect(pageOf({ page: 1, pages: 0, clients: 0, data: result })).toMatchObject({ records: [], rows: 0 });
  });

  it.each([
    [{ result: null }, 'result is null, though no count says 0'],
    [{ campaigns: 3, result: '' }, 'result is a text, and not a list'],
    [{ campaigns: 0, result: 'none' }, 'result is a text, and not a list'],
    [{ campaigns: 0, result: 7 }, 'result is a number, and not a list'],
    [{ campaigns: 0, result: { note: 'none' } }, 'result is an object, and not a list'],
  ])('but %j is an error that says what stands there', (body, what) => {
    expect(() => parse(body)).toThrow(`invalid response (${what})`);
  });

  it('nor is it one beside an error', () => {
    expect(() => parse({ campaigns: 0, result: null, error: 'try later' })).toThrow(
      'no records, and error: try later',
    );
  });
});

it('a list that is written as an object, or as its only record, is read', () => {
  const [one, ...others] = three;
  expect(parse({ result: one })).toMatchObject({ records: [{ callsetId: 501 }], rows: 1 });
  expect(parse({ result: { 0: one, 1: others[0] } }).records).toHaveLength(2);
  expect(pageOf({ data: { clientid: 7 } }).records).toMatchObject([{ clientId: 7 }]);
});

it.each([
  [2.5, 3],
  ['2.5', 3],
  [3, 3],
  [0, 0],
  ['many', null],
  [-1, null],
  [null, null],
  ['', null],
])('pages of %j are %j', (pages, read) => {
  expect(pageOf({ pages, data: [] }).pages).toBe(read);
});

describe('a count that can’t be read', () => {
  it.each(['', 'N/A', '1.234', -1, 1.5, {}, true])('costs itself alone: %j', (busies) => {
    const { records, rejects, unreadableCounts } = parse({
      result: [campaign(501, 100, { busies }), campaign(502, 200)],
    });
    expect(records).toMatchObject([
      { callsetId: 501, attempts: 100, busies: null, connects: 50, liveAnswers: 25 },
      { callsetId: 502, busies: 20 },
    ]);
    expect([rejects, unreadableCounts]).toEqual([[], 1]);
  });

  it('is none where it isn’t reported', () => {
    const { records, rejects, unreadableCounts } = parse({
      result: [campaign(501, 100, { busies: null }), { callsetid: 502 }],
    });
    expect(records).toMatchObject([{ busies: null }, { attempts: null }]);
    expect([rejects, unreadableCounts]).toEqual([[], undefined]);
  });

  it('leaves each record with its other counts, whatever stands there', () => {
    const value = fc.oneof(
      fc.nat(1e6),
      fc.constantFrom('', 'N/A', '1.234', -1, 1.5, true),
      fc.constant(null),
    );
    const counts = fc.record({ attempts: value, busies: value, connects: value, liveanswers: value });
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 8 }), (drawn) => {
        const result = drawn.map((each, index) => ({ callsetid: index + 1, ...each }));
        const { records, rejects, unreadableCounts = 0 } = parse({ result });
        fc.pre(!rejects.some(({ isTotal }) => isTotal));
        const read = (each: unknown) => (Number.isSafeInteger(each) && (each as number) >= 0 ? each : null);
        expect(records).toMatchObject(
          drawn.map(({ attempts, busies, connects, liveanswers }) => ({
            attempts: read(attempts),
            busies: read(busies),
            connects: read(connects),
            liveAnswers: read(liveanswers),
          })),
        );
        const unread = drawn.filter((each) =>
          Object.values(each).some((count) => count !== null && read(count) === null),
        );
        expect([rejects, unreadableCounts]).toEqual([[], unread.length]);
      }),
      { numRuns: rounds(500) },
    );
  });
});

describe('JSON that is none says what is wrong, and what to do', () => {
  it.each([
    ['{"result":[{"callsetid":1,"rate":NaN}]}', '"rate":NaN', 'ask the provider: JSON has no NaN'],
    ['{"result":[{"callsetid":1,"rate":-Infinity}]}', '"rate":-Infinity', 'JSON has no -Infinity'],
    ['{"result":[{"callsetid":1,"ok":True}]}', '"ok":True', 'JSON has no True'],
    ['{"result":[{"callsetid":1', 'it ends too early, after 25 characters', 'may have cut it'],
    ['{"result":[{"callsetid":1 "campaign":2}]}', 'at character 27', 'if it happens every night, ask'],
    ['{"result":[{"callsetid":Zx81Qm77LpTf}]}', '(malformed JSON: an unexpected character)', 'ask'],
  ])('%s', (body, what, advice) => {
    expect(() => parse(body)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(what),
        advice: expect.stringContaining(advice),
      }),
    );
  });
});

it('a record that is nested too deep goes to quarantine, beside whatever number', () => {
  const deep = `{"callsetid":2,"x":${'['.repeat(3_000)}${']'.repeat(3_000)}}`;
  const { records, rejects } = parse(
    `{"result":[{"callsetid":1,"attempts":1e2,"y":12345678901234567890},${deep}]}`,
  );
  expect(records).toMatchObject([{ callsetId: 1, attempts: 100, extra: { y: '12345678901234567890' } }]);
  expect(rejects).toMatchObject([{ id: 2, reason: 'nested deeper than 100 levels' }]);
});

it('whatever stands in the place of a list is its records, nothing where a count says 0, or an error', () => {
  const [one, other] = three as [object, object];
  const standing = fc.constantFrom<readonly [unknown, number | null]>(
    [[], 0],
    [[one, other], 2],
    [one, 1],
    [{ a: one, b: other }, 2],
    [null, null],
    ['', null],
    [{}, null],
    [undefined, null],
    ['none', -1],
    [7, -1],
    [true, -1],
    [{ note: 'none' }, -1],
  );
  const count = fc.constantFrom(undefined, null, 0, '0', 2, 'n/a');
  fc.assert(
    fc.property(standing, count, count, ([result, listed], campaigns, reports) => {
      const counts = [campaigns, reports].filter((each) => [0, '0', 2].includes(each as never));
      const isNone = counts.length > 0 && counts.every((each) => Number(each) === 0);
      const read = () => parse({ campaigns, reports, result }).rows;
      if (listed === -1 || (listed === null && !isNone)) expect(read).toThrow('invalid response');
      else expect(read()).toBe(listed ?? 0);
    }),
    { numRuns: rounds(1_000) },
  );
});

it('whatever bytes a name has, it loads as it was written, or goes to quarantine', () => {
  const quoted = (name: Buffer) =>
    !name.includes(0x22) && !name.includes(0x5c) && name.every((byte) => byte > 31);
  const bytes = fc
    .oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.string({ unit: 'grapheme', maxLength: 4 }).map((text) => Buffer.from(text)),
    )
    .map((each) => Buffer.from(each))
    .filter(quoted);
  fc.assert(
    fc.property(bytes, (name) => {
      const body = Buffer.concat([
        Buffer.from('{"result":[{"callsetid":1,"campaign":"'),
        name,
        Buffer.from('"}]}'),
      ]);
      const { records, rejects } = parse(textOf(body));
      const isUtf8 = Buffer.from(name.toString('utf8')).equals(name);
      if (isUtf8) expect([records[0]?.campaign, rejects]).toEqual([name.toString('utf8'), []]);
      else expect([records, rejects[0]?.id]).toEqual([[], 1]);
    }),
    { numRuns: rounds(1_000) },
  );
});
