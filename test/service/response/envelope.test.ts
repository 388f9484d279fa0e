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
