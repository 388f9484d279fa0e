import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canBeEmpty, isAccepted, signId, starred } from '../../../src/model/accepted.ts';
import { describeBody } from '../../../src/service/response/envelope.ts';
import { parseResponse } from '../../../src/service/response/parse-response.ts';
import { campaignSummarySchema, clientListSchema } from '../../../src/service/response/schema.ts';
import { createRedactor } from '../../../src/support/redaction.ts';
import { rounds } from '../../support/rounds.ts';

const token = 'a-token-of-20-signs!';
const redactor = createRedactor();
redactor.learn(token);

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));
const read = (body: unknown, status = 200) =>
  parseResponse({ status, body: textOf(body) }, campaignSummarySchema, redactor, () => false);

/** The sign of an answer without records. */
function signOf(body: unknown, status = 200): string {
  const answer = read(body, status);
  if (!('sign' in answer)) throw new Error(`it is read: ${JSON.stringify(answer)}`);
  return answer.sign;
}

/** The remarks beside one record. */
function remarksOf(envelope: object, status = 200): readonly string[] {
  const answer = read({ ...envelope, result: [{ callsetid: 1 }] }, status);
  if ('sign' in answer) throw new Error(`it is unknown: ${answer.sign}`);
  expect(answer.content.records).toMatchObject([{ callsetId: 1 }]);
  return answer.remarks;
}

describe('a remark beside records', () => {
  it.each<[object, readonly string[]]>([
    [{ message: 'Lost connection to MySQL server' }, ['message: Lost connection to MySQL server']],
    [{ success: 0 }, ['success: 0']],
    // In the same order whatever the service's.
    [{ success: '0', ok: 'false' }, ['ok: false', 'success: 0']],
    [{ took: 12, cached: '12.5' }, ['cached: 12.5', 'took: 12']],
    [{ meta: { took: 3, by: ['a', 'b', 'a'] } }, ['meta.by: a', 'meta.by: b', 'meta.took: 3']],
    [{ errors: [{ code: 'E104' }] }, ['errors.code: E104', 'errors: a list of 1 object']],
    [{ rows: [{ a: 1 }, { a: 2 }, { a: 3 }, { a: 4 }] }, ['rows: a list of 4 objects']],
    [{ campaigns: 'many', reports: [], apirid: {} }, ['campaigns: many']],
    [{ apirid: { a: 1 } }, ['apirid.a: 1']],
    [{ data: 'none' }, ['data: none']],
    [{ days: { '2026-03-01': 'x', '2026-03-02': 'x' } }, ['days.#: x']],
    [{ page: 1, pages: 2 }, ['pages: 2']],
    [{ campaigns: -1, reports: 1.5, count: '-1' }, ['campaigns: -1', 'count: -1', 'reports: 1.5']],
  ])('is each leaf that the document does not show: %j', (envelope, remarks) => {
    expect(remarksOf(envelope)).toEqual(remarks);
  });

  it('is a status other than 200, before all others', () => {
    expect(remarksOf({ a: 'x' }, 206)).toEqual(['HTTP 206', 'a: x']);
    expect(remarksOf({}, 404)).toEqual(['HTTP 404']);
  });

  it.each([
    { a: null, b: '', c: [], d: {}, e: [[], ['']], f: { g: ' ' } },
    { success: true, ok: 1 },
    { Success: '1', OK: 'true' },
    { error: false },
    { error: 0 },
    { status: 200, code: '200' },
    { status: 'OK', state: 'success', phase: 'done' },
    { campaigns: 1, reports: '1', clients: '1,234', results: 1, count: null, page: 1.5, pages: 1, limit: -1 },
    { apirid: 'a7-b' },
  ])('is none of what is empty, documented, or says that all is well: %j', (envelope) => {
    expect(remarksOf(envelope)).toEqual([]);
  });

  it('is what says nearly that', () => {
    expect(remarksOf({ success: 2, ok: 'okay', error: 'none', status: 201, code: '0', a: 'done.' })).toEqual([
      'a: done.',
      'code: 0',
      'error: none',
      'ok: okay',
      'status: 201',
      'success: 2',
    ]);
  });

  it('has # for the numbers of a word that begins with one, and is cut', () => {
    const said = (text: string) => remarksOf({ a: text })[0]!.slice('a: '.length);
    expect(said('No campaigns for 2026-03-01 (12/40), 1,234.5 of them at 06:30:00.')).toBe(
      'No campaigns for # (#), # of them at #.',
    );
    expect(said('E104 after 12ms, v2 and C-3')).toBe('E104 after #ms, v2 and C-3');
    expect([said('404-Empty'), said('404-Expired')]).toEqual(['#-Empty', '#-Expired']);
    expect([said('2026年3月1日没有活动'), said('2026年3月2日会话已过期')]).toEqual([
      '#年#月#日没有活动',
      '#年#月#日会话已过期',
    ]);
    expect(said('trace c6af9ac6-7b61-11e6-9a41-93e8deadbeef, ray a21ff836bd5f4469-FRA')).toBe(
      'trace #, ray #-FRA',
    );
    expect(said('ID=5F2B7C0E9A1D4E3FB')).toBe('ID=#');
    for (const text of ['deadbeef-cafe-babe', 'decade-2', `add1${'-'.repeat(20)}`])
      expect(said(text)).toBe(text);
    expect(said('x'.repeat(300))).toHaveLength(197);
    expect(remarksOf({ ['x'.repeat(300)]: 'y' })).toEqual([`${'x'.repeat(100)}: y`]);
  });

  it('holds no token, and a page by its title alone', () => {
    expect(remarksOf({ a: `no ${token}`, b: `<html><title>for ${token}</title>` })).toEqual([
      'a: no [redacted]',
      'b: a page titled "for [redacted]"',
    ]);
  });

  it('is one of fifty, or counted', () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, index]));
    expect(remarksOf(many).slice(49)).toEqual([expect.stringMatching(/^f\d+: \d+$/), 'further fields: 10']);
    const deep = JSON.parse(`${'{"a":'.repeat(30)}1${'}'.repeat(30)}`);
    expect(remarksOf(deep)).toEqual(['further fields: 1']);
    expect(remarksOf({ a: Array.from({ length: 2_000 }, () => '') })).toEqual(['further fields: 1']);
  });
});

describe('all that an answer without records says', () => {
  it.each<[number, unknown, string]>([
    [404, { message: 'No campaigns for 03-01-2026' }, 'HTTP 404; message: No campaigns for #'],
    [200, { result: [], success: 0, message: 'Session expired' }, 'message: Session expired; success: 0'],
    [200, { result: [], campaigns: 5, reports: 0, message: 'x' }, 'campaigns: 5; message: x'],
    [200, { campaigns: 5 }, 'campaigns: 5'],
    [206, { result: [] }, 'HTTP 206'],
    [200, { result: ['none'] }, 'result: none'],
    [200, { result: { note: 'none' }, campaigns: 0 }, 'result.note: none'],
    [200, { result: 7, campaigns: 0 }, 'result: 7'],
    [200, { rows: [{ id: 1 }, { id: 2 }] }, 'rows.id: 1; rows.id: 2; rows: a list of 2 objects'],
    [200, { result: null }, 'JSON without a list, with the fields result'],
    [200, { data: [], success: true }, 'JSON without a list, with the fields data, success'],
    [200, {}, 'JSON without a list'],
    [200, 'null', 'JSON without a list'],
    [200, '"No campaigns"', 'body: No campaigns'],
    [200, '[{"a":1}]', 'a: 1; body: a list of 1 object'],
    [200, '', 'an empty body'],
    [204, '', 'HTTP 204'],
    [404, ' ', 'HTTP 404; an empty body'],
    [404, {}, 'HTTP 404'],
    [200, '<html><title>Log in</title>', 'not JSON: a page titled "Log in"'],
    [
      404,
      '<!doctype html>\n<html><TITLE lang="en"> 404 Not Found </title>',
      'HTTP 404; not JSON: a page titled "# Not Found"',
    ],
    [
      200,
      '<br />\n<b>Warning</b>:  Undefined $x in <b>/x.php</b> on line <b>12</b><br />\n{"result":[]}',
      'not JSON: Warning: Undefined $x in /x.php on line #',
    ],
    [200, '\nNo campaigns\nat host 7', 'not JSON: No campaigns'],
    [200, '[error] no such host', 'not JSON: [error] no such host'],
    [200, '<p></p>', 'not JSON: a page without a text'],
    [404, '{"message":', 'HTTP 404; not JSON: {"message":'],
  ])('%i with %j is one sign: %s', (status, body, sign) => {
    expect(signOf(body, status)).toBe(sign);
  });

  it.each<[number, unknown, boolean]>([
    [404, { message: 'No campaigns; none' }, true],
    [200, {}, true],
    [200, '', true],
    [204, '', true],
    [404, '', false],
    [404, '<title>No campaigns</title>', false],
    [200, 'No campaigns', false],
    [200, { rows: [{ a: 1 }] }, false],
    [200, { a: { ['x'.repeat(300)]: Array.from({ length: 1_234 }, () => ({ a: 1 })) } }, false],
    [200, { a: Array.from({ length: 2_000 }, () => null), rows: [{ a: 1 }] }, false],
    [200, JSON.parse(`${'{"a":'.repeat(30)}[{}]${'}'.repeat(30)}`), false],
  ])('%i with %j may be accepted as an empty list: %s', (status, body, expected) => {
    expect(canBeEmpty(signOf(body, status))).toBe(expected);
  });

  it('may be accepted whatever its numbers', () => {
    const starredOf = (body: unknown) => starred({ kind: 'empty', sign: signOf(body, 404) });
    expect(starredOf({ took: 12, at: '7', message: 'none of 5' })).toBe(
      'HTTP 404; at: *; message: none of #; took: *',
    );
    expect(starredOf({ 'soap:Fault': 5 })).toBe('HTTP 404; soap:Fault: *');
    const id = (body: unknown) => signId({ kind: 'empty', operation: 'campaignSummary', sign: signOf(body) });
    expect(id({ rows: Array(4).fill({ a: 1 }) })).toBe(id({ rows: Array(5_000).fill({ a: 1 }) }));
    expect(id({ code: 'E104' })).not.toBe(id({ code: 'E207' }));
    expect(id({ message: 'Empty' })).not.toBe(id({ message: 'Expired' }));
  });
});

it('a remark is accepted with its value or with any, and for no other kind', () => {
  const accepted = [
    { kind: 'remark', operation: 'campaignSummary', sign: 'took: *', account: null },
    { kind: 'remark', operation: 'campaignSummary', sign: 'HTTP 206', account: 'north' },
  ] as const;
  const accepts = (kind: 'remark' | 'empty', sign: string, account = 'north') =>
    isAccepted(accepted, { kind, operation: 'campaignSummary', sign, account });
  expect(remarksOf({ took: 99 }, 206).map((sign) => accepts('remark', sign))).toEqual([true, true]);
  expect([accepts('remark', 'HTTP 206', 'coast'), accepts('empty', 'HTTP 206')]).toEqual([false, false]);
});

it('a sign never changes by what stands in it, whatever is said', () => {
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom('a; b: 5', 'not JSON: x', ' : 7; '),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), value, { maxKeys: 5 }),
      fc.constantFrom(200, 404),
      (fields, status) => {
        const { result: _, data: __, ...others } = fields;
        const sign = signOf(others, status);
        expect(sign).not.toBe('');
        // The number of no text is taken for the number of a field.
        const text = Object.fromEntries(
          Object.entries(others).map(([name, each]) => [name, typeof each === 'string' ? `x${each}` : each]),
        );
        const numbers = Object.values(text).filter((each) => typeof each === 'number').length;
        const stars = starred({ kind: 'empty', sign: signOf(text, status) }).split(': *').length - 1;
        fc.pre(!sign.includes('*'));
        expect(stars).toBeLessThanOrEqual(numbers);
      },
    ),
    { numRuns: rounds(1_000) },
  );
});

it('the client list has the same remarks', () => {
  const page = { page: 1, pages: 3, clients: 1, data: [{ clientid: 1 }], note: 'x' };
  const answer = parseResponse(
    { status: 200, body: textOf(page) },
    clientListSchema(null),
    redactor,
    () => false,
  );
  expect(answer).toMatchObject({ remarks: ['note: x'] });
});

it.each([
  ['{"error":{"code":503,"message":"Try again\\nlater"}}', 'error.code: 503; error.message: Try again later'],
  [`{"errors":["no ${token}"]}`, 'errors: no [redacted]'],
  ['{}', 'JSON without a text'],
  [' \n', 'an empty body'],
  ['Bad gateway\nat host 7', 'Bad gateway'],
  [`<html>${' '.repeat(300)}${'<br>'.repeat(100)}<title>y`, 'a page titled "y"'],
])('the body of an error is described: %j', (body, says) => {
  expect(describeBody(body, redactor)).toBe(says);
});
