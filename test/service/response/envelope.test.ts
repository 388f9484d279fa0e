import { describe, expect, it } from 'vitest';
import { examineEnvelope } from '../../../src/service/response/envelope.ts';

const empty = { campaigns: 0, reports: 0, result: [] };
const examine = (json: object, rows: number | null = 0, status = 200) => examineEnvelope(json, status, rows);
const good = { problem: null, notice: null, unfinished: null, noList: null };

describe('beside an empty list', () => {
  it.each([
    [{ status: 399 }, null],
    [{ status: 400 }, 'invalid'],
    [{ http_status_code: '599' }, 'invalid'],
    [{ httpStatusCode: 500 }, 'invalid'],
    [{ zipcode: 450 }, null],
    [{ status: 600 }, null],
    [{ statuses: 500 }, null],
    [{ code: 403 }, 'refused'],
    [{ clients: 401 }, null],
    [{ success: 'false' }, 'invalid'],
    [{ success: true }, null],
    [{ ok: false }, 'invalid'],
    [{ okay: false }, null],
    [{ book: false }, null],
    [{ state: 'failed' }, 'invalid'],
    [{ state: ' Failure ' }, 'invalid'],
    [{ state: 'fail' }, 'invalid'],
    [{ state: 'failing' }, null],
    [{ state: 'no error' }, null],
    [{ statement: 'error' }, null],
    [{ estate: 'error' }, null],
    [{ resultStatus: 'error' }, 'invalid'],
    [{ error: 'no error' }, null],
    [{ error: 'N/A.' }, null],
    [{ error: ' none ' }, null],
    [{ error: 'okay then' }, 'invalid'],
    [{ terror: 0 }, null],
    [{ errors: 1 }, 'invalid'],
    [{ exception: 'x' }, 'invalid'],
    [{ default: 'x' }, null],
    [{ text: 'log-on needed' }, 'refused'],
    [{ text: 'no login' }, 'refused'],
    [{ text: 'please sign in' }, 'refused'],
    [{ text: 'signin first' }, 'refused'],
    [{ text: 'not authorized' }, 'refused'],
    [{ text: 'unauthorised' }, 'refused'],
    [{ text: 'authentication failed' }, 'refused'],
    [{ text: 'blog inside' }, null],
    [{ text: '/session/7 is over' }, 'refused'],
    [{ error: { sidtoken: 7 } }, 'refused'],
    [{ authenticated: false }, 'refused'],
    [{ session: { valid: false, id: 'a81bc81b' } }, null],
    [{ tokenValid: true, login: 'demo', tokenType: 'bearer' }, null],
    [{ error: 'GET /x?sidtoken=my-session failed' }, 'invalid'],
    [{ error: 'GET /x?sidtoken=abc: no token' }, 'refused'],
    [{ data: 'session' }, null],
    [{ error: 'session expired' }, 'refused'],
    [{ error: { code: 12, message: 'Invalid sidtoken.' } }, 'refused'],
    [{ errors: [{ message: 'Please log in again' }] }, 'refused'],
    [{ status: 'SESSION_EXPIRED' }, 'refused'],
    [{ meta: { info: ['not logged in'] } }, 'refused'],
    [{ error: true }, 'invalid'],
    [{ error_code: '17' }, 'invalid'],
    [{ fault: { reason: 'maintenance' } }, 'invalid'],
    [{ errors: ['try later'] }, 'invalid'],
    [{ success: false }, 'invalid'],
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
    expect(examine({ ...empty, ...fields }).problem?.kind ?? null).toBe(code);
  });

  it.each([
    { status: 'OK', success: true, error: 'none', message: 'Success.' },
    { status: 200, message: 17, info: true },
    { notebook: 'a b', context: 'a b' },
  ])('%j is good, and no notice', (fields) => {
    expect(examine({ ...empty, ...fields })).toEqual(good);
  });

  it('other text is good, and a notice', () => {
    expect(examine({ ...empty, message: 'No campaigns found' })).toEqual({
      ...good,
      notice: 'message: No campaigns found',
    });
  });
});

describe('text beside an empty list', () => {
  const saying = (message: string) => examine({ ...empty, message });

  it.each([
    'Session expired',
    'Your session has expired. Please log in.',
    'SESSION_EXPIRED',
    'sessionExpired',
    'Invalid token',
    'invalid or expired sidtoken',
    'The token is not valid',
    'The token is no longer valid',
    "The session token isn't recognized",
    'Token abc123 was revoked',
    'Missing sidtoken',
    'sidtoken is required',
    'sidtoken must be provided',
    'Login required',
    'You must log in first',
    'Wrong user name or password',
    'No valid session',
    'No session found',
    'Session not found',
    'No campaigns found: session expired',
    'Authentication failed',
    'Failed to authenticate',
    'Unauthorized',
    'Access denied',
    'token: invalid',
    'session timed out',
    'SID token mismatch',
    'Please authenticate first',
  ])('that refuses a token, makes it none: %s', (message) => {
    expect(saying(message).problem?.kind).toBe('refused');
  });

  it.each([
    'No campaigns found for this session',
    'No campaigns found for your login',
    'No session campaigns found',
    'No sessions found',
    'Session active, no data',
    'Login successful',
    'Token accepted',
    'The token is valid until 2027',
    'Your session expires in 30 minutes',
    'Campaign "Login reminder" was deleted',
    'no records match the token parameter',
    'nothing to report',
    'no pending campaigns',
    'Completed without errors',
    'See you on Monday',
  ])('that refuses nothing, leaves it an empty list: %s', (message) => {
    expect(saying(message)).toEqual({ ...good, notice: `message: ${message}` });
  });

  it.each([
    'Report is not ready yet',
    'Figures not yet available',
    'The summary is still being calculated',
    'Data is being processed',
    'Report generation in progress',
    'partial results',
    'Results truncated',
    'limited to 1000 records',
    'Generating report',
    'Your report is being prepared, check back in a few minutes',
  ])('that says that the service isn’t done, makes it none: %s', (message) => {
    expect(saying(message).problem).toEqual({ kind: 'unfinished', text: `message: ${message}` });
    expect(examine({ message, result: [{}] }, 1)).toEqual({ ...good, unfinished: `message: ${message}` });
  });

  it.each([
    'Please try again later',
    'The service is temporarily unavailable',
    'Down for maintenance',
    'Could not load the report',
    'Database timeout',
    'An error occurred',
    'Invalid date range',
    'Too many requests',
  ])('that says that something failed, makes it none, and beside rows is ignored: %s', (message) => {
    expect(saying(message).problem).toEqual({ kind: 'invalid', text: `message: ${message}` });
    expect(examine({ message, result: [{}] }, 1)).toEqual(good);
  });
});

describe('a state that isn’t the last one', () => {
  it.each<[object, string]>([
    [{ status: 'processing' }, 'status: processing'],
    [{ status: 'IN_PROGRESS' }, 'status: IN_PROGRESS'],
    [{ state: 'pending' }, 'state: pending'],
    [{ job: { state: 'queued' } }, 'job.state: queued'],
    [{ reportStatus: 'Running' }, 'reportStatus: Running'],
    [{ status: 202 }, 'status: 202'],
    [{ code: '206' }, 'code: 206'],
    [{ complete: false }, 'complete: false'],
    [{ is_final: false }, 'is_final: false'],
    [{ partial: true }, 'partial: true'],
    [{ partial: 1 }, 'partial: 1'],
    [{ isReady: 0 }, 'isReady: 0'],
    [{ status: 'NOT_READY' }, 'status: NOT_READY'],
    [{ inProgress: 'true' }, 'inProgress: true'],
    [{ progress: 40 }, 'progress: 40'],
    [{ progress: 0 }, 'progress: 0'],
    [{ progress: '40%' }, 'progress: 40%'],
    [{ has_more: true }, 'has_more: true'],
    [{ truncated: true }, 'truncated: true'],
    [{ next: '/campaignSummary.wr?page=2' }, 'next: /campaignSummary.wr?page=2'],
    [{ links: { next: { href: 'x' } } }, 'links.next.href: x'],
    [{ page: 1, pages: 3 }, 'pages: 3'],
  ])('is no empty list, and noted beside rows: %j', (fields, text) => {
    expect(examine({ ...empty, ...fields }).problem).toEqual({ kind: 'unfinished', text });
    expect(examine({ ...fields, result: [{}] }, 1)).toEqual({ ...good, unfinished: text });
  });

  it.each([
    { status: 'OK' },
    { status: 'complete' },
    { status: 'active' },
    { status: 200, state: 'done' },
    { complete: true, partial: false, pending: 0, has_more: false, next: null, truncated: 'false' },
    { progress: 100 },
    { complete: 1, completed: 0, pending: 1, running: 2, done: 0 },
    { progress: '100%' },
    { page: 1, pages: 1 },
    { message: 'No more results available' },
  ])('is not %j', (fields) => {
    expect(examine({ ...fields, result: [{}] }, 1)).toEqual(good);
    expect(examine({ ...empty, ...fields }).problem).toBeNull();
  });

  it('isn’t a further page of clients', () => {
    const fields = { page: 1, pages: 3, has_more: true, next: '/getClients.wr?page=2' };
    expect(examine({ ...fields, data: [{}] }, 1)).toEqual(good);
    expect(examine({ ...fields, status: 'partial', data: [{}] }, 1).unfinished).toBe('status: partial');
  });

  it.each([202, 206, 207])('may be the status %i', (status) => {
    expect(examine(empty, 0, status).problem).toEqual({ kind: 'unfinished', text: `HTTP ${status}` });
    expect(examine({ status: 'pending', result: [{}] }, 1, status)).toEqual({
      ...good,
      unfinished: `HTTP ${status}; status: pending`,
    });
  });
});

describe('no list', () => {
  it.each<[object, number | null, number, string]>([
    [{ message: 'No campaigns found' }, null, 404, 'HTTP 404: No campaigns found'],
    [{ error: 'No campaigns found' }, null, 404, 'HTTP 404: No campaigns found'],
    [{ error: { code: 'NO_RECORDS' } }, null, 404, 'HTTP 404: NO_RECORDS'],
    [{ error: { code: 1017, message: 'No data' } }, null, 404, 'HTTP 404: No data'],
    [{ title: 'Not Found', status: 404, detail: '0 campaigns' }, null, 404, 'HTTP 404: 0 campaigns'],
    [{ error: 'Not Found', message: 'No records' }, null, 404, 'HTTP 404: No records'],
    [{ code: 'NO_CAMPAIGNS' }, null, 404, 'HTTP 404: NO_CAMPAIGNS'],
    [{ success: false, message: 'Campaigns not found' }, null, 400, 'HTTP 400: Campaigns not found'],
    [empty, 0, 404, 'HTTP 404: an empty list'],
    [
      { message: 'No campaigns found for this session' },
      null,
      200,
      'HTTP 200: No campaigns found for this session',
    ],
    [{ campaigns: 0, result: 'No records found' }, null, 200, 'HTTP 200: No records found'],
    [{ ...empty, error: 'No campaigns found' }, 0, 200, 'HTTP 200: No campaigns found'],
    [{ ...empty, success: false, message: 'Nothing found' }, 0, 200, 'HTTP 200: Nothing found'],
  ])('is %j', (json, rows, status, text) => {
    expect(examine(json, rows, status)).toEqual({ ...good, noList: text || null });
  });

  it.each<[object, number | null, number]>([
    [{ message: 'Not Found' }, null, 404],
    [{ message: 'No such operation' }, null, 404],
    [{ error: 'Resource not found' }, null, 404],
    [{ error: 'No route matches /api/campaignSummary.wr' }, null, 404],
    [{ message: 'No such client' }, null, 404],
    [{ message: 'Client not found' }, null, 404],
    [{}, null, 404],
    [{ campaigns: 3, message: 'No campaigns found' }, null, 404],
    [{ message: 'No data', error: { code: 500 } }, null, 404],
    [{ message: 'No data: connection to the database failed' }, null, 404],
    [{ message: 'No connection to the reports' }, null, 404],
  ])('is not %j', (json, rows, status) => {
    expect(examine(json, rows, status)).toEqual(good);
  });

  it('is not one that refuses the token or isn’t done', () => {
    const kind = (message: string) => examine({ message }, null, 404).problem?.kind;
    expect([kind('Session not found'), kind('No data yet available'), kind('Report not ready')]).toEqual([
      'refused',
      'unfinished',
      'unfinished',
    ]);
  });
});

describe('beside records', () => {
  it('an error is a notice, whatever it is about; other text is nothing', () => {
    const envelope = {
      error: { message: 'session ends soon' },
      message: 'hello',
      result: [{ callsetid: 1 }],
    };
    expect(examine(envelope, 1)).toEqual({ ...good, notice: 'error.message: session ends soon' });
  });

  it('what a record says is not looked at', () => {
    const result = [{ callsetid: 1, error: 'x', message: 'session expired' }];
    expect(examine({ result }, 1)).toEqual(good);
  });
});

describe('what an envelope says', () => {
  const of = (fields: object) => examine({ ...empty, ...fields });

  it('is named by its path, in its order, with all that it says', () => {
    expect(of({ error: { code: 17, texts: ['down', 'late'] }, Fault: 'x' }).problem?.text).toBe(
      'error.code: 17; error.texts: down; error.texts: late; Fault: x',
    );
    expect(of({ message: 'one', details: { info: 'two', other: 'three' } }).notice).toBe(
      'message: one; details.info: two',
    );
  });

  it('is looked for twenty levels deep, in a thousand values', () => {
    const nested = (depth: number): object => (depth === 0 ? { error: 'x' } : { a: nested(depth - 1) });
    expect(of(nested(19)).problem?.kind).toBe('invalid');
    expect(of(nested(20)).problem).toBeNull();
    const lists = (depth: number): unknown => (depth === 0 ? 'x' : [lists(depth - 1)]);
    expect(of({ error: lists(19) }).problem?.kind).toBe('invalid');
    expect(of({ error: lists(20) }).problem).toBeNull();
    const many = (count: number) => ({ list: Array(count).fill(0), error: 'x' });
    // The two counts of the envelope come first.
    expect(of(many(997)).problem?.kind).toBe('invalid');
    expect(of(many(998)).problem).toBeNull();
  });
});
