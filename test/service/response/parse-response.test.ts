import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canBeEmpty } from '../../../src/model/accepted.ts';
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
const nobody = () => false;

describe('an archived body', () => {
  it.each([
    ['plain', { callsetid: 1, campaign: 'A', attempts: '12' }],
    ['with a number that a double would round', { callsetid: 1, attempts: 2, note: 0 }],
    ['that repeats the token', { callsetid: 1, campaign: token, attempts: 12, [token]: token }],
    ['with an invalid record', { callsetid: -1, campaign: token }],
    ['with a text that can not be kept', { callsetid: 1, campaign: 'half \ud83d', note: '\0' }],
  ])('%s parses to what its request returned', (_, record) => {
    const received = JSON.stringify({ result: [record] }).replace('"note":0', '"note":12345678901234567890');
    const { content, body } = parseGood(received, campaignSummarySchema, redactor);
    expect(
      parseArchived({ status: 200, body: Buffer.from(body) }, campaignSummarySchema, nobody)?.content,
    ).toEqual(content);
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
    expect(parseArchived({ status: 200, body: Buffer.from(body) }, schema, nobody)?.content).toEqual(content);
    expect(content).toEqual({
      page: 1,
      pages: null,
      limit: null,
      rows: 2,
      counts: { clients: 3 },
      records: [{ clientId: 1, name: 'A', checksum: null, balance: null, extra: { balance: 'n/a' } }],
      rejects: [{ payload: '"text"', reason: expect.stringMatching(/^record: /), id: null }],
      rejectCount: 1,
      logged: ["the balance in balance can't be read as one amount: kept in extra"],
    });
  });
});

describe('a token', () => {
  const parse = (record: object, known = redactor) =>
    parseGood(JSON.stringify({ result: [{ callsetid: 1, ...record }] }), campaignSummarySchema, known);

  it('of fewer than 12 characters may be a word: it stays in records, and is not in a remark', () => {
    const received =
      '{"error":"no more for demo","result":[{"callsetid":1,"campaign":"demo","demo":"a demo"}]}';
    const { content, body, remarks } = parseGood(received, campaignSummarySchema, redactorOf('demo'));
    expect(content.records).toMatchObject([{ campaign: 'demo', extra: { demo: 'a demo' } }]);
    expect([body, remarks]).toEqual([received, ['error: no more for [redacted]']]);
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
    expect(
      parseArchived({ status: 200, body: Buffer.from(body) }, campaignSummarySchema, nobody)?.content,
    ).toEqual(content);
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

describe('whatever stands around a list,', () => {
  const key = fc.oneof(
    fc.string(),
    fc.constantFrom(
      'message',
      'error',
      'status',
      'success',
      'page',
      'pages',
      'campaigns',
      'data',
      'results',
      'callsetid',
    ),
  );
  const text = fc.constantFrom(
    'No campaigns found',
    'Session expired',
    'Sesión caducada',
    'OK',
    'partial',
    '0',
    '',
  );
  const around = fc.dictionary(key, fc.oneof(text, fc.jsonValue(), fc.constantFrom(0, 1, false)), {
    maxKeys: 5,
  });
  const records = fc.array(
    fc.record(
      {
        callsetid: fc.oneof(fc.nat(9), fc.constantFrom('7', '503.0', 'x', null)),
        campaign: fc.oneof(text, fc.jsonValue()),
        attempts: fc.oneof(fc.nat(), text),
        note: fc.jsonValue(),
      },
      { requiredKeys: ['callsetid'] },
    ),
    { maxLength: 4 },
  );
  const status = fc.constantFrom(200, 201, 206, 304, 400, 404, 409, 418, 999);
  const parse = (body: unknown, of = 200, isAccepted: (sign: string) => boolean = nobody) =>
    parseResponse({ status: of, body: JSON.stringify(body) }, campaignSummarySchema, redactor, isAccepted);
  const loaded = (answer: ReturnType<typeof parse>) =>
    'sign' in answer ? [] : [answer.content.records, answer.content.rejects];

  it('the records that load are those of the bare list', () => {
    fc.assert(
      fc.property(status, around, records, (of, others, result) => {
        const { result: _, ...envelope } = others;
        const bare = parse({ result });
        const answer = parse({ ...envelope, result }, of);
        if (result.length > 0) expect(loaded(answer)).toEqual(loaded(bare));
        else if (!('sign' in answer)) expect(answer).toMatchObject({ content: { rows: 0 }, remarks: [] });
      }),
      { numRuns: rounds(3_000) },
    );
  });

  it('only the documented empty list is read as empty, unless somebody accepted what is said', () => {
    const list = fc.constantFrom<unknown>(undefined, null, '', [], {}, 'none', 7, [''], { note: 'x' });
    const counts = fc.record(
      { campaigns: fc.constantFrom(0, 5, null, '0'), reports: fc.constantFrom(0, 5) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(status, around, counts, list, (of, others, counted, result) => {
        const { result: _, callsetid: __, ...envelope } = others;
        const body = { ...envelope, ...counted, result };
        const answer = parse(body, of);
        if (!('sign' in answer)) {
          expect([of, answer.content.records, answer.remarks, answer.emptyBy]).toEqual([200, [], [], null]);
          const numbers = [counted, envelope].flatMap((each: Record<string, unknown>) => [
            each.campaigns,
            each.reports,
            each.results,
            each.count,
          ]);
          const saysNone = numbers.some((each) => each === 0 || each === '0');
          expect(Array.isArray(result) || saysNone).toBe(true);
          return;
        }
        expect(answer.sign).not.toBe('');
        const accepted = parse(body, of, (sign) => sign === answer.sign);
        if (canBeEmpty(answer.sign))
          expect(accepted).toMatchObject({ content: { rows: 0 }, emptyBy: answer.sign });
        else expect(accepted).toEqual(answer);
        expect(parse(body, of, (sign) => sign !== answer.sign)).toEqual(answer);
      }),
      { numRuns: rounds(3_000) },
    );
  });

  it('an archived answer is read as it was, by what is accepted today', () => {
    fc.assert(
      fc.property(status, around, records, fc.boolean(), (of, others, result, isAccepted) => {
        const body = JSON.stringify({ ...others, result });
        const answer = parseResponse({ status: of, body }, campaignSummarySchema, redactor, () => isAccepted);
        const archived = parseArchived(
          { status: of, body: Buffer.from(body) },
          campaignSummarySchema,
          () => isAccepted,
        );
        expect(archived).toEqual('sign' in answer ? null : answer);
      }),
      { numRuns: rounds(500) },
    );
  });
});

it('an archived body that is no valid response is none, and neither is a status that means one thing', () => {
  const parse = (status: number | null, body = '{"result":[{"callsetid":1}]}') =>
    parseArchived({ status, body: Buffer.from(body) }, campaignSummarySchema, () => true);
  expect([null, 401, 403, 408, 429, 500, 599].map((status) => parse(status))).toEqual(Array(7).fill(null));
  expect(['<html>', '{"result":['].map((body) => parse(200, body))).toEqual([null, null]);
  for (const status of [200, 299, 404]) expect(parse(status)).toMatchObject({ content: { rows: 1 } });
});

it('a body of more than 100,000 records is an error that says so', () => {
  const records = (count: number) => `{"result":[${'{},'.repeat(count - 1)}{}]}`;
  expect(() => parseGood(records(100_001), campaignSummarySchema, redactor)).toThrow(
    expect.objectContaining({
      message: 'invalid response (the body has more than 100000 records)',
      retryNow: false,
    }),
  );
});

it('of a page of clients no more than five lines on balances are kept, each once', () => {
  const data = Array.from({ length: 9 }, (_, id) => ({ clientid: id, [`balance${Math.min(id, 6)}`]: 'n/a' }));
  const { content } = parseGood(JSON.stringify({ data }), clientListSchema(null), redactor);
  expect(content.logged).toEqual(
    [0, 1, 2, 3, 4].map((id) => `the balance in balance${id} can't be read as one amount: kept in extra`),
  );
});
