import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArchived, parseResponse } from '../../../src/service/response/parse-response.ts';
import { campaignSummarySchema, clientListSchema } from '../../../src/service/response/schema.ts';
import { createRedactor } from '../../../src/support/redaction.ts';
import { rounds } from '../../support/rounds.ts';
import { parseGood } from '../parse-good.ts';

const token = 'raw+token/12';
const redactorOf = (secret: string) => {
  const redactor = createRedactor();
  redactor.learn(secret);
  return redactor;
};
const redactor = redactorOf(token);

describe('an archived body', () => {
  it.each([
    ['plain', { callsetid: 1, campaign: 'A', attempts: '12' }],
    ['with a number that a double would round', { callsetid: 1, attempts: 2, note: 0 }],
    ['that repeats the token', { callsetid: 1, campaign: token, attempts: 12, [token]: token }],
    ['with an invalid record', { callsetid: -1, campaign: token }],
  ])('%s parses to what its request returned', (_, record) => {
    const received = JSON.stringify({ result: [record] }).replace('"note":0', '"note":12345678901234567890');
    const { content, body } = parseGood(received, campaignSummarySchema, redactor);
    expect(parseArchived({ status: 200, body }, true, campaignSummarySchema)?.content).toEqual(content);
    expect(body).not.toContain(token);
  });

  it('of a page of clients keeps its balance, counts and remarks', () => {
    const received = JSON.stringify({
      page: 1,
      pages: 'two',
      clients: 3,
      count: null,
      data: [{ clientid: 1, clientname: 'A', balance: 'n/a' }, 'text'],
    });
    const schema = clientListSchema(null);
    const { content, body } = parseGood(received, schema, redactor);
    expect(body).toBe(received);
    expect(parseArchived({ status: 200, body }, true, schema)?.content).toEqual(content);
    expect(content).toEqual({
      page: 1,
      pages: null,
      limit: null,
      rows: 2,
      counts: { clients: 3 },
      records: [{ clientId: 1, name: 'A', checksum: null, balance: null, extra: { balance: 'n/a' } }],
      rejects: [{ payload: '"text"', reason: expect.stringMatching(/^record: /), id: null }],
      rejectCount: 1,
      remarks: ["the balance in balance can't be read as one amount: kept in extra"],
    });
  });
});

describe('a token', () => {
  const parse = (record: object, known = redactor) =>
    parseGood(JSON.stringify({ result: [{ callsetid: 1, ...record }] }), campaignSummarySchema, known);

  it('of fewer than 12 characters may be a word: it stays in records, and is not in a notice', () => {
    const received =
      '{"error":"no more for demo","result":[{"callsetid":1,"campaign":"demo","demo":"a demo"}]}';
    const { content, body, notice } = parseGood(received, campaignSummarySchema, redactorOf('demo'));
    expect(content.records).toMatchObject([{ campaign: 'demo', extra: { demo: 'a demo' } }]);
    expect([body, notice]).toEqual([received, 'error: no more for [redacted]']);
  });

  it('of 12 leaves the numbers that it equals', () => {
    const { content } = parse({ attempts: 123456789012, note: '123456789012' }, redactorOf('123456789012'));
    expect(content.records).toMatchObject([{ attempts: 123456789012, extra: { note: '[redacted]' } }]);
  });

  it('of 12 is replaced wherever it stands in texts and names, however deep', () => {
    const link = `/x.wr?sidtoken=${encodeURIComponent(token)}&startdate=1`;
    const { content, body } = parse({ campaign: token, deep: [{ [token]: `of ${token}` }], link });
    expect(content.records).toMatchObject([
      {
        campaign: '[redacted]',
        extra: { deep: [{ '[redacted]': 'of [redacted]' }], link: '/x.wr?sidtoken=[redacted]&startdate=1' },
      },
    ]);
    expect(parseArchived({ status: 200, body }, true, campaignSummarySchema)?.content).toEqual(content);
  });
});

it('a token that JSON writes in escapes is in nothing that is read or archived', () => {
  const escaped = [...token].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const nested = JSON.stringify(`{"x":"${escaped}"}`);
  const received = `{"result":[{"callsetid":1,"campaign":"of ${escaped}","link":${nested}}]}`;
  const { content, body } = parseGood(received, campaignSummarySchema, redactor);
  expect(content.records).toMatchObject([
    { campaign: 'of [redacted]', extra: { link: '{"x":"[redacted]"}' } },
  ]);
  expect(JSON.parse(body)).toMatchObject({ result: [{ campaign: 'of [redacted]' }] });
});

it('a field named __proto__ changes nothing of its record', () => {
  const { content } = parseGood(
    '{"result":[{"callsetid":1,"__proto__":{"polluted":1}}]}',
    campaignSummarySchema,
    redactor,
  );
  expect(content.records).toMatchObject([{ callsetId: 1, extra: {} }]);
  expect(content.records[0]!.extra).not.toHaveProperty('polluted');
});

describe('a summary of campaigns', () => {
  const parse = (body: string) => parseGood(body, campaignSummarySchema, redactor).content;

  it('may have its numbers as text, as may a page of clients, and none of its counts', () => {
    expect(
      parse('{"campaigns":"2","reports":"1","result":[{"callsetid":"1","attempts":"12"}]}'),
    ).toMatchObject({ counts: { campaigns: 2, reports: 1 }, records: [{ callsetId: 1, attempts: 12 }] });
    expect(parse('{"result":[{"callsetid":1}]}')).toMatchObject({ counts: {}, rows: 1 });
    const page = (body: string) => parseGood(body, clientListSchema(null), redactor).content;
    expect(
      page('{"page":"2","pages":"13","limit":"50","clients":"620","count":"1","data":[{"clientid":"1"}]}'),
    ).toMatchObject({ page: 2, pages: 13, limit: 50, counts: { clients: 620, count: 1 } });
    expect(page('{"data":[{"clientid":1}]}')).toMatchObject({ page: null, pages: null, counts: {}, rows: 1 });
  });

  it('reports no attempts under another name, and keeps every further field to the digit', () => {
    const further =
      '{"calls":12,"settings":{"days":["mon"],"callerid":null},"history":[[1,[]],{}],"dialled":12345678901234567890,"ratio":0.12345678901234567890123,"active":true}';
    expect(parse(`{"result":[{"callsetid":1,"busies":null,${further.slice(1)}]}`).records).toEqual([
      {
        callsetId: 1,
        campaign: null,
        attempts: null,
        busies: null,
        connects: null,
        liveAnswers: null,
        extra: {
          calls: 12,
          settings: { days: ['mon'], callerid: null },
          history: [[1, []], {}],
          dialled: '12345678901234567890',
          ratio: '0.12345678901234567890123',
          active: true,
        },
      },
    ]);
  });
});

it('whatever comes, it is read, refused in our own words, or an error of its status; and an archived one is read the same', () => {
  const text = fc.constantFrom('No campaigns found', 'Session expired', 'processing', 'try later', 'OK', 'x');
  const value = fc.oneof(
    text,
    fc.constantFrom<unknown>(null, true, false, 0, 1, 404),
    fc.array(text, { maxLength: 2 }),
  );
  const list = fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    [],
    {},
    [{ callsetid: 1, attempts: '1,234' }],
    'none',
  );
  const name = fc.constantFrom(
    'message',
    'error',
    'status',
    'session',
    'complete',
    'code',
    'success',
    'campaigns',
    'next',
  );
  const body = fc.oneof(
    fc
      .tuple(fc.dictionary(name, value, { maxKeys: 4 }), list)
      .map(([fields, result]) => JSON.stringify({ ...fields, result })),
    fc.constantFrom('', 'null', '[]', '{', '<html>'),
  );
  const status = fc.constantFrom(200, 201, 202, 204, 206, 301, 400, 401, 404, 409, 500);
  fc.assert(
    fc.property(status, body, (status, body) => {
      let parsed: ReturnType<typeof parseResponse> = null;
      try {
        parsed = parseResponse({ status, body }, campaignSummarySchema, redactor);
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^(?:INVALID_RESPONSE|TOKEN_REFUSED)$/) });
      }
      const again = (wasRead: boolean) =>
        parseArchived({ status, body: parsed?.body ?? body }, wasRead, campaignSummarySchema);
      expect(again(true)).toEqual(parsed);
      expect(again(false)).toEqual(parsed?.noList == null ? parsed : null);
      if (parsed?.noList != null) expect(parsed.content).toMatchObject({ rows: 0, records: [] });
      else if (parsed !== null) expect(status).toBeLessThan(300);
    }),
    { numRuns: rounds(2_000) },
  );
});

describe('a body that is no valid response', () => {
  const errorOf = (body: string) => {
    try {
      return parseGood(body, campaignSummarySchema, redactor);
    } catch (error) {
      return error;
    }
  };

  it.each([
    ['HTML', '<html>', 'INVALID_RESPONSE', 'invalid response (not JSON: a page without a title)', true],
    [
      'another object',
      '{"clients":[]}',
      'INVALID_RESPONSE',
      'invalid response (JSON without a message, with the fields clients)',
      true,
    ],
    [
      'an object about a session',
      '{"text":"session over"}',
      'TOKEN_REFUSED',
      'the service refuses the session token (text: session over)',
      false,
    ],
    [
      'an object about a token',
      '{"text":"no TOKEN"}',
      'TOKEN_REFUSED',
      'the service refuses the session token (text: no TOKEN)',
      false,
    ],
    [
      'an object that repeats the request',
      '{"url":"/x.wr?sidtoken=my-session"}',
      'INVALID_RESPONSE',
      'invalid response (JSON without a message, with the fields url)',
      true,
    ],
    [
      'an empty list beside an error',
      '{"result":[],"error":"down"}',
      'INVALID_RESPONSE',
      'invalid response (no records, and error: down)',
      true,
    ],
  ])(
    'such as %s is an error that says so: retried, unless it is about the token alone',
    (_, body, code, message, retryNow) => {
      expect(errorOf(body)).toMatchObject({ code, message, retryNow });
    },
  );

  it.each([
    '[]',
    'null',
    '{}',
    '{"data":null}',
    '{"result":{}}',
    '{"error":{"code":503,"message":"The service is temporarily unavailable."}}',
  ])('such as %s is none of either operation', (body) => {
    const invalid = expect.objectContaining({ code: 'INVALID_RESPONSE' });
    expect(() => parseGood(body, campaignSummarySchema, redactor)).toThrow(invalid);
    expect(() => parseGood(body, clientListSchema(null), redactor)).toThrow(invalid);
  });
});

describe('an archived body that was refused', () => {
  const body = '{"result":[{"callsetid":1}],"error":"late"}';
  const parse = (text: string, status: number | null) =>
    parseArchived({ status, body: text }, true, campaignSummarySchema);

  it('is read where its status was a good one', () => {
    expect([null, 199, 300, 500].map((status) => parse(body, status))).toEqual([null, null, null, null]);
    for (const status of [200, 299])
      expect(parse(body, status)).toMatchObject({ content: { rows: 1 }, body, notice: 'error: late' });
  });

  it('is none where it still is no valid response', () => {
    expect(['<html>', '{}', '{"result":[],"error":"down"}'].map((text) => parse(text, 200))).toEqual([
      null,
      null,
      null,
    ]);
  });
});

it('a body of more than 100,000 records is an error that says so', () => {
  const records = (count: number) => `{"result":[${'0,'.repeat(count - 1)}0]}`;
  expect(() => parseGood(records(100_001), campaignSummarySchema, redactor)).toThrow(
    expect.objectContaining({
      message: 'invalid response (the body has more than 100000 records)',
      retryNow: false,
    }),
  );
});

it('of a page of clients no more than five remarks on balances are kept, each once', () => {
  const data = Array.from({ length: 9 }, (_, id) => ({ clientid: id, [`balance${Math.min(id, 6)}`]: 'n/a' }));
  const { content } = parseGood(JSON.stringify({ data }), clientListSchema(null), redactor);
  expect(content.remarks).toEqual(
    [0, 1, 2, 3, 4].map((id) => `the balance in balance${id} can't be read as one amount: kept in extra`),
  );
});
