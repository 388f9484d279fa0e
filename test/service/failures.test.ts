import { TimeoutError } from 'ky';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/errors.ts';
import {
  AttemptError,
  describeBody,
  failureOf,
  invalidResponse,
  walkIncomplete,
} from '../../src/service/failures.ts';
import { createRedactor } from '../../src/support/redaction.ts';

const token = 'a-token-of-20-signs!';
const redactor = createRedactor();
redactor.learn(token);
const subject = { account: 'main', about: 'clients, page 3' };

const renew = 'put a valid token into SIDTOKEN, or where ACCOUNTS_FILE names it, and run again';
const provider = 'check SERVICE_BASE_URL; if it is right, ask the provider of the service';
const network = 'check SERVICE_BASE_URL and the network';
const address = 'check that SERVICE_BASE_URL is the address of the service';

describe('the failure of a request', () => {
  it.each([
    ['TOKEN_REFUSED', false, 'the service refuses the session token (for [redacted])', renew],
    ['REQUEST_REFUSED', false, 'the service refuses the request (for [redacted])', provider],
    ['SERVICE_UNAVAILABLE', true, 'the service for [redacted]', network],
    ['INVALID_RESPONSE', true, 'invalid response (for [redacted])', address],
  ] as const)(
    'with %s says what it was about, and what to do, without the token',
    (code, isRetryable, says, advice) => {
      const error = new AttemptError(code, `for ${token}`);
      expect([error.isRetryable, error.advice]).toEqual([isRetryable, advice]);
      const failure = failureOf(error, subject, redactor) as Failure;
      expect(failure).toBeInstanceOf(Failure);
      expect([failure.code, failure.message, failure.advice]).toEqual([
        code,
        `account main, clients, page 3: ${says}`,
        advice,
      ]);
    },
  );

  it('says what its attempt says is to be done', () => {
    const error = new AttemptError('SERVICE_UNAVAILABLE', 'is busy', true, 'set RATE_PER_SECOND');
    expect(failureOf(error, subject, redactor)).toMatchObject({ advice: 'set RATE_PER_SECOND' });
  });

  it('is the failure that it was, or an unexpected error without URL and token', () => {
    const failure = invalidResponse(subject, 'no page');
    expect(failureOf(failure, subject, redactor)).toBe(failure);
    expect([failure.code, failure.message, failure.advice]).toEqual([
      'INVALID_RESPONSE',
      'account main, clients, page 3: invalid response (no page)',
      address,
    ]);
    const ofKy = new TimeoutError(new Request('https://service.example/?sidtoken=x'));
    expect(
      [ofKy, new Error(`no ${token}`), `no ${token}`].map((each) => failureOf(each, subject, redactor)),
    ).toEqual([new Error('unexpected TimeoutError'), new Error('no [redacted]'), new Error('no [redacted]')]);
  });
});

describe('a walk that is incomplete', () => {
  it('fails as such, or as the page that failed', () => {
    expect({ ...walkIncomplete('main', 'page 3 is empty') }).toEqual({
      ...new Failure('WALK_INCOMPLETE', '', walkIncomplete('main', '').advice),
    });
    expect(walkIncomplete('main', 'page 3 is empty').message).toBe(
      "account main, clients: the walk over all pages can't be proven complete (page 3 is empty)",
    );
    expect(walkIncomplete('main', 'x', 'SERVICE_UNAVAILABLE').code).toBe('SERVICE_UNAVAILABLE');
  });
});

describe('a body, for messages,', () => {
  it.each([
    ['{"error":"x"}', '{"error":"x"}'],
    [' <!doctype html>\n<html><TITLE> Bad\n Gateway </title>', 'a page titled "Bad Gateway"'],
    [`<html><title>for ${token}`, 'a page titled "for [redacted]"'],
    [`<html><title>${'x'.repeat(300)}</title>`, `a page titled "${'x'.repeat(200)}"`],
    ['<html><title></title>', '<html><title></title>'],
    ['{"x":"<title>y"}', '{"x":"<title>y"}'],
    ['no <html><title>y', 'no <html><title>y'],
    [`${'x'.repeat(300)}`, 'x'.repeat(200)],
    ['Bad gateway\nat host 7', 'Bad gateway'],
    ['{\n  "error": "x"\n}', '{ "error": "x" }'],
    [`<html>${' '.repeat(300)}${'<br>'.repeat(100)}<title>y`, 'a page titled "y"'],
  ])('%# is the title of a page, the beginning of JSON, or the first line', (body, says) => {
    expect(describeBody(body, redactor)).toBe(says);
  });
});
