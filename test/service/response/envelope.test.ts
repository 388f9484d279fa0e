import { describe, expect, it } from 'vitest';
import { examineEnvelope } from '../../../src/service/response/envelope.ts';

const empty = { campaigns: 0, reports: 0, result: [] };

describe('beside an empty list', () => {
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
    [{ error: 'session expired' }, 'TOKEN_REFUSED'],
    [{ error: { code: 12, message: 'Invalid sidtoken.' } }, 'TOKEN_REFUSED'],
    [{ errors: [{ message: 'Please log in again' }] }, 'TOKEN_REFUSED'],
    [{ status: 'SESSION_EXPIRED' }, 'TOKEN_REFUSED'],
    [{ meta: { info: ['not logged in'] } }, 'TOKEN_REFUSED'],
    [{ error: true }, 'INVALID_RESPONSE'],
    [{ error_code: '17' }, 'INVALID_RESPONSE'],
    [{ fault: { reason: 'maintenance' } }, 'INVALID_RESPONSE'],
    [{ errors: ['try later'] }, 'INVALID_RESPONSE'],
    [{ success: false }, 'INVALID_RESPONSE'],
    [{ error: null }, null],
    [{ error: false }, null],
    [{ error: 0, errorCode: '0', code: 200 }, null],
    [{ error: ' ' }, null],
    [{ errors: [] }, null],
    [{ error: { code: 0, message: null } }, null],
    [{ request: 'GET /x.wr?sidtoken=abc&startdate=1' }, null],
    [{ self: 'https://example.com/session/7', user: 'login@example.com' }, null],
    [{ session: 'a81bc81b' }, null],
    [{ apirid: 'abc 123' }, null],
  ])('%j is %s', (fields, code) => {
    expect(examineEnvelope({ ...empty, ...fields }).problem?.code ?? null).toBe(code);
  });

  it.each([
    { status: 'OK', success: true, error: 'none', message: 'Success.' },
    { status: 200, message: 17, info: true },
    { notebook: 'a b', context: 'a b' },
  ])('%j is good, and no notice', (fields) => {
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
