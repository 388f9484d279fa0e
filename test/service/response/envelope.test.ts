import { describe, expect, it } from 'vitest';
import { examineEnvelope } from '../../../src/service/response/envelope.ts';

const empty = { campaigns: 0, reports: 0, result: [] };

describe('beside an empty list', () => {
  it.each<[string, object]>([
    ['text about a session in an error field', { error: 'session expired' }],
    ['an object about a token', { error: { code: 12, message: 'Invalid sidtoken.' } }],
    ['a list of errors about a login', { errors: [{ message: 'Please log in again' }] }],
    ['text about a session in any field', { message: 'Your session has expired' }],
    ['a code in capitals', { status: 'SESSION_EXPIRED' }],
    ['an error field named after the token', { tokenError: 1 }],
    ['a status of 401', { status: 401, message: '' }],
    ['a text about it, deep inside', { meta: { info: ['not logged in'] } }],
  ])('%s refuses the token', (_, fields) => {
    for (const list of [empty, { pages: 0, data: [] }])
      expect(examineEnvelope({ ...list, ...fields })).toMatchObject({
        problem: { code: 'TOKEN_REFUSED', text: expect.stringMatching(/^no records, and \w/) },
        notice: null,
      });
  });

  it.each<[string, object]>([
    ['an error text', { error: 'internal error' }],
    ['an error that says true', { error: true }],
    ['an error number', { errorCode: 17 }],
    ['an error number as text', { error_code: '17' }],
    ['an object with content', { fault: { reason: 'maintenance' } }],
    ['a list with content', { errors: ['try later'] }],
    ['a failed status', { status: 'error' }],
    ['no success', { success: false }],
    ['a status of 503', { code: 503 }],
  ])('%s makes the response invalid', (_, fields) => {
    expect(examineEnvelope({ ...fields, ...empty }).problem?.code).toBe('INVALID_RESPONSE');
  });

  it.each<[string, object]>([
    ['nothing', {}],
    ['null', { error: null }],
    ['false', { error: false }],
    ['0', { error: 0, errorCode: '0', code: 200 }],
    ['an empty text', { error: ' ' }],
    ['an empty list', { errors: [] }],
    ['an empty object', { errors: {} }],
    ['an error of nothing', { error: { code: 0, message: null } }],
    ['that all is well', { status: 'OK', success: true, error: 'none', message: 'Success.' }],
    ['the request, token parameter and all', { request: 'GET /x.wr?sidtoken=abc&startdate=1' }],
    ['an address with a session in it', { self: 'https://example.com/session/7', user: 'login@example.com' }],
    ['a session by its number', { session: 'a81bc81b' }],
    ['an id of the request', { apirid: 'abc 123' }],
    ['a number where a message might be', { status: 200, message: 17, info: true }],
    ['text in a field that only begins or ends like one for messages', { notebook: 'a b', context: 'a b' }],
  ])('%s is good, and no notice', (_, fields) => {
    expect(examineEnvelope({ ...empty, ...fields })).toEqual({ problem: null, notice: null });
  });

  it('other text is good, and a notice', () => {
    expect(examineEnvelope({ ...empty, message: 'No campaigns found' })).toEqual({
      problem: null,
      notice: 'message: No campaigns found',
    });
  });
});

describe('beside records', () => {
  it('an error is a notice, whatever it is about; other text is nothing', () => {
    const envelope = {
      error: { message: 'session ends soon' },
      message: 'hello',
      result: [{ callsetid: 1 }],
    };
    expect(examineEnvelope(envelope)).toEqual({ problem: null, notice: 'error.message: session ends soon' });
  });

  it('what a record says is not looked at', () => {
    const result = [{ callsetid: 1, error: 'x', message: 'session expired' }];
    expect(examineEnvelope({ result })).toEqual({ problem: null, notice: null });
  });
});

describe('what an envelope says', () => {
  const of = (fields: object) => examineEnvelope({ ...empty, ...fields });

  it('is named by its path, in its order, with all that it says', () => {
    expect(of({ error: { code: 17, texts: ['down', 'late'] }, Fault: 'x' }).problem?.text).toBe(
      'no records, and error.code: 17; error.texts: down; error.texts: late; Fault: x',
    );
    expect(of({ message: 'one', details: { info: 'two', other: 'three' } }).notice).toBe(
      'message: one; details.info: two',
    );
  });

  it.each([
    [{ status: 399 }, null],
    [{ status: 400 }, 'INVALID_RESPONSE'],
    [{ http_status_code: '599' }, 'INVALID_RESPONSE'],
    [{ httpStatusCode: 500 }, 'INVALID_RESPONSE'],
    [{ zipcode: 450 }, null],
    [{ status: 600 }, null],
    [{ statuses: 500 }, null],
    [{ code: 403 }, 'TOKEN_REFUSED'],
    [{ clients: 401 }, null],
    [{ success: 'false' }, 'INVALID_RESPONSE'],
    [{ success: true }, null],
    [{ ok: false }, 'INVALID_RESPONSE'],
    [{ okay: false }, null],
    [{ book: false }, null],
    [{ state: 'failed' }, 'INVALID_RESPONSE'],
    [{ state: ' Failure ' }, 'INVALID_RESPONSE'],
    [{ state: 'fail' }, 'INVALID_RESPONSE'],
    [{ state: 'failing' }, null],
    [{ state: 'no error' }, null],
    [{ statement: 'error' }, null],
    [{ estate: 'error' }, null],
    [{ resultStatus: 'error' }, 'INVALID_RESPONSE'],
    [{ error: 'no error' }, null],
    [{ error: 'N/A.' }, null],
    [{ error: ' none ' }, null],
    [{ error: 'okay then' }, 'INVALID_RESPONSE'],
    [{ terror: 0 }, null],
    [{ errors: 1 }, 'INVALID_RESPONSE'],
    [{ exception: 'x' }, 'INVALID_RESPONSE'],
    [{ default: 'x' }, null],
    [{ text: 'log-on needed' }, 'TOKEN_REFUSED'],
    [{ text: 'no login' }, 'TOKEN_REFUSED'],
    [{ text: 'please sign in' }, 'TOKEN_REFUSED'],
    [{ text: 'signin first' }, 'TOKEN_REFUSED'],
    [{ text: 'not authorized' }, 'TOKEN_REFUSED'],
    [{ text: 'unauthorised' }, 'TOKEN_REFUSED'],
    [{ text: 'authentication failed' }, 'TOKEN_REFUSED'],
    [{ text: 'blog inside' }, null],
    [{ text: '/session/7 is over' }, 'TOKEN_REFUSED'],
    [{ error: { sidtoken: 7 } }, 'TOKEN_REFUSED'],
    [{ error: 'GET /x?sidtoken=my-session failed' }, 'INVALID_RESPONSE'],
    [{ error: 'GET /x?sidtoken=abc: no token' }, 'TOKEN_REFUSED'],
    [{ data: 'session' }, 'TOKEN_REFUSED'],
  ])('beside an empty list: %j is %s', (fields, code) => {
    expect(of(fields).problem?.code ?? null).toBe(code);
  });

  it('is looked for twenty levels deep, in a thousand values', () => {
    const nested = (depth: number): object => (depth === 0 ? { error: 'x' } : { a: nested(depth - 1) });
    expect(of(nested(19)).problem?.code).toBe('INVALID_RESPONSE');
    expect(of(nested(20)).problem).toBeNull();
    const lists = (depth: number): unknown => (depth === 0 ? 'x' : [lists(depth - 1)]);
    expect(of({ error: lists(19) }).problem?.code).toBe('INVALID_RESPONSE');
    expect(of({ error: lists(20) }).problem).toBeNull();
    const many = (count: number) => ({ list: Array(count).fill(0), error: 'x' });
    // The two counts of the envelope come first.
    expect(of(many(997)).problem?.code).toBe('INVALID_RESPONSE');
    expect(of(many(998)).problem).toBeNull();
  });
});
