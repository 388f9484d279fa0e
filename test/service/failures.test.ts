import { TimeoutError } from 'ky';
import { describe, expect, it } from 'vitest';
import { errorCatalogue, Failure, lineOf } from '../../src/model/errors.ts';
import { AttemptError, failureOf } from '../../src/service/failures.ts';
import { createRedactor } from '../../src/support/redaction.ts';

const token = 'a-token-of-20-signs!';
const redactor = createRedactor();
redactor.learn(token);
const subject = 'account main, clients, page 3';

describe('the failure of a request', () => {
  it.each([
    ['TOKEN_REFUSED', false],
    ['REQUEST_REFUSED', false],
    ['UNKNOWN_ANSWER', true],
    ['SERVICE_UNAVAILABLE', true],
    ['INVALID_RESPONSE', true],
  ] as const)('with %s says what it was about, and what to do, without the token', (code, retryNow) => {
    const error = new AttemptError(code, `no, for ${token}`);
    expect(error.retryNow).toBe(retryNow);
    const failure = failureOf(error, subject, redactor) as Failure;
    expect(failure).not.toBeInstanceOf(AttemptError);
    expect(lineOf(failure)).toBe(`${subject}: no, for [redacted]: ${errorCatalogue[code].advice}`);
    expect(failure.code).toBe(code);
  });

  it('is the failure that it was, or an unexpected error without URL and token', () => {
    const failure = new Failure('INVALID_RESPONSE', 'no page', { subject });
    expect(failureOf(failure, 'account other', redactor)).toBe(failure);
    const ofKy = new TimeoutError(new Request('https://service.example/?sidtoken=x'));
    expect(
      [ofKy, new Error(`no ${token}`), `no ${token}`].map((each) => failureOf(each, subject, redactor)),
    ).toEqual([new Error('unexpected TimeoutError'), new Error('no [redacted]'), new Error('no [redacted]')]);
  });
});
