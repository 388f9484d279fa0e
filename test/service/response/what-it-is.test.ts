import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/service/response/body.ts';
import { campaignSummarySchema, clientListSchema } from '../../../src/service/response/schema.ts';
import { createRedactor } from '../../../src/support/redaction.ts';
import { rounds } from '../../support/rounds.ts';
import { parseGood } from '../parse-good.ts';

/* What a response is read for (docs/service-assumptions.md): the kinds, each with its family. */

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

describe('a record that sums up the others', () => {
  it('is a campaign like the others: that would be a guess', () => {
    const result = [40, 25, 15, 80].map((attempts, index) => ({ callsetid: index + 1, attempts }));
    expect(parse({ campaigns: 4, reports: 4, result })).toMatchObject({ rows: 4, rejects: [] });
    expect(parse({ result }).records.map(({ attempts }) => attempts)).toEqual([40, 25, 15, 80]);
  });
});

describe('no list is an empty one', () => {
  const nothing = [null, '', {}, undefined];

  it.each(nothing)('where a count says 0: %j', (result) => {
    expect(parse({ campaigns: 0, reports: 0, result })).toMatchObject({ records: [], rows: 0 });
    expect(pageOf({ page: 1, pages: 0, clients: 0, data: result })).toMatchObject({ records: [], rows: 0 });
  });

  it.each([
    { result: null },
    { campaigns: 3, result: '' },
    { campaigns: 0, reports: 1, result: null },
    { campaigns: 0, result: 'none' },
    { campaigns: 0, result: null, error: 'try later' },
    { campaigns: 0, a: [{ callsetid: 1 }], b: [{ callsetid: 2 }] },
  ])('but not %j', (body) => {
    expect(() => parse(body)).toThrow('unknown answer');
  });
});

it('a list that is written as an object, or as its only record, is read', () => {
  const [one, ...others] = three;
  expect(parse({ result: one })).toMatchObject({ records: [{ callsetId: 501 }], rows: 1 });
  expect(parse({ result: { 0: one, 1: others[0] } }).records).toHaveLength(2);
  expect(pageOf({ data: { clientid: 7 } }).records).toMatchObject([{ clientId: 7 }]);
});

it('the only list whose objects have the id is the list, whatever its name', () => {
  const listed = { rows: 3, records: [{ callsetId: 501 }, { callsetId: 502 }, { callsetId: 503 }] };
  for (const body of [
    { results: three },
    { response: { campaigns: three } },
    three,
    { result: null, data: three },
  ])
    expect(parse(body)).toMatchObject(listed);
  expect(pageOf({ items: [{ clientid: 7 }] })).toMatchObject({ records: [{ clientId: 7 }] });
  // The documented one comes first, and one without ids is it if there is no other.
  expect(parse({ others: [campaign(9, 1)], result: three })).toMatchObject(listed);
  expect(() => parse({ others: [campaign(9, 1)], result: [] })).toThrow('others: a list of 1 object');
  expect(parse({ others: three, result: [{ note: 'x' }] })).toMatchObject(listed);
  expect(parse({ result: [{ note: 'x' }] })).toMatchObject({ rows: 1, records: [], rejectCount: 1 });
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
  expect(pageOf({ pages, data: [{ clientid: 1 }] }).pages).toBe(read);
});

describe('a count that can’t be read', () => {
  it('is none where it isn’t reported', () => {
    const { records, rejects, unreadableCounts } = parse({
      result: [campaign(501, 100, { busies: null }), { callsetid: 502 }],
    });
    expect(records).toMatchObject([{ busies: null }, { attempts: null }]);
    expect([rejects, unreadableCounts]).toEqual([[], undefined]);
  });

  it('costs itself alone, whatever stands there', () => {
    const value = fc.oneof(
      fc.nat(1e6),
      fc.constantFrom<unknown>('', 'N/A', '1.234', -1, 1.5, {}, true),
      fc.constant(null),
    );
    const counts = fc.record({ attempts: value, busies: value, connects: value, liveanswers: value });
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 8 }), (drawn) => {
        const result = drawn.map((each, index) => ({ callsetid: index + 1, ...each }));
        const { records, rejects, unreadableCounts = 0 } = parse({ result });
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

it('a record that is nested too deep loads without what is', () => {
  const deep = `{"callsetid":2,"attempts":7,"x":${'['.repeat(3_000)}${']'.repeat(3_000)}}`;
  const { records, rejects, logged } = parse(
    `{"result":[{"callsetid":1,"attempts":1e2,"y":12345678901234567890},${deep}]}`,
  );
  expect(records).toMatchObject([
    { callsetId: 1, attempts: 100, extra: { y: '12345678901234567890' } },
    { callsetId: 2, attempts: 7, extra: { x: null } },
  ]);
  expect([rejects, logged]).toEqual([[], ['left out of 1 record: nested deeper than 100 levels']]);
});

it('whatever bytes a name has, it loads as it was written, or is null', () => {
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
      const { records, rejects, logged } = parse(textOf(body));
      const isUtf8 = Buffer.from(name.toString('utf8')).equals(name);
      expect([records[0]?.campaign, rejects]).toEqual([isUtf8 ? name.toString('utf8') : null, []]);
      expect(logged).toHaveLength(isUtf8 ? 0 : 1);
    }),
    { numRuns: rounds(1_000) },
  );
});
