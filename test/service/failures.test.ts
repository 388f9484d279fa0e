import { TimeoutError } from 'ky';
import { describe, expect, it } from 'vitest';
import { errorCatalogue, Failure, lineOf } from '../../src/model/errors.ts';
import { AttemptError, describeBody, failureOf } from '../../src/service/failures.ts';
import { createRedactor } from '../../src/support/redaction.ts';

const token = 'a-token-of-20-signs!';
const redactor = createRedactor();
redactor.learn(token);
const subject = 'account main, clients, page 3';

describe('the failure of a request', () => {
  it.each([
    ['TOKEN_REFUSED', false],
    ['REQUEST_REFUSED', false],
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

  it('says what its attempt says is to be done', () => {
    const error = new AttemptError('SERVICE_UNAVAILABLE', 'is busy', { advice: 'set RATE_PER_SECOND' });
    expect(failureOf(error, subject, redactor)).toMatchObject({ advice: 'set RATE_PER_SECOND' });
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

describe('a body, for messages,', () => {
  it.each([
    ['{"error":"x"}', 'x'],
    ['{"error":{"code":503,"type":"busy","message":"Try again\\nlater"}}', 'Try again'],
    [`{"errors":["no ${token}"],"status":"error"}`, 'no [redacted]'],
    ['{"title":"Gone","detail":"It has moved.","status":404}', 'It has moved'],
    [`{"message":"{\\"error\\":\\"${'x'.repeat(300)}\\"}"}`, 'x'.repeat(200)],
    ['{"message":"<title>y"}', 'a page titled "y"'],
    ['{"a":1,"b":{"c":[]}}', 'JSON without a message, with the fields a, b'],
    ['{}', 'JSON without a message'],
    [' [{"a":1}]', 'JSON without a message'],
    ['[error] no such host', '[error] no such host'],
    ['{"error":"x"', 'malformed JSON'],
    [' \n', 'an empty body'],
    [' <!doctype html>\n<html><TITLE> Bad\n Gateway </title>', 'a page titled "Bad Gateway"'],
    [`<html><title>for ${token}`, 'a page titled "for [redacted]"'],
    [`<html><title>${'x'.repeat(300)}</title>`, `a page titled "${'x'.repeat(200)}"`],
    ['<html><title></title>', 'a page without a title'],
    ['no <html><title>y', 'no <html><title>y'],
    [`${'x'.repeat(300)}`, 'x'.repeat(200)],
    ['Bad gateway\nat host 7', 'Bad gateway'],
    [`<html>${' '.repeat(300)}${'<br>'.repeat(100)}<title>y`, 'a page titled "y"'],
  ])('%# is the title of a page, the message of JSON, or the first line', (body, says) => {
    expect(describeBody(body, redactor)).toBe(says);
  });
});
