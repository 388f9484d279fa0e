import { describe, expect, it } from 'vitest';
import { outcomeOf, type SmtpError } from '../../src/mail/smtp-outcome.ts';

const clean = (reply: string) => (reply.includes('secret') ? '[redacted]' : reply);
const error = (message: string, part: Partial<SmtpError> = {}): SmtpError =>
  Object.assign(new Error(message), part);
const outcome = (part: Partial<SmtpError>, handedOver = false, message = 'the reply') =>
  outcomeOf(error(message, part), handedOver, clean);

describe('a message that the server may have', () => {
  it.each([
    [undefined, 'unknown'],
    [399, 'unknown'],
    [400, 'failed'],
    [599, 'failed'],
    [600, 'unknown'],
  ])('is decided by its reply: %s is %s', (responseCode, state) => {
    expect(outcome({ responseCode }, true).state).toBe(state);
  });

  it('and of which nothing was heard is not tried again', () => {
    expect(outcome({}, true)).toEqual({ state: 'unknown', reply: 'the reply', retryable: false });
  });
});

describe('a message that the server can not have', () => {
  it.each([
    [{}, 'failed', true],
    [{ responseCode: 499, command: 'RCPT TO' }, 'failed', true],
    [{ responseCode: 500, command: 'RCPT TO' }, 'refused', false],
    [{ responseCode: 550, command: 'DATA' }, 'refused', false],
    [{ responseCode: 535, command: 'AUTH PLAIN' }, 'failed', false],
    [{ responseCode: 550, command: 'MAIL FROM' }, 'failed', false],
    [{ responseCode: 554 }, 'failed', false],
  ] as const)('after %j is %s, and tried again: %s', (part, state, retryable) => {
    expect(outcome(part)).toEqual({ state, reply: 'the reply', retryable });
  });
});

describe('a message that is too large', () => {
  const reply = 'the reply: lower DIGEST_MAX_MB for the next ones';

  it('is refused by 552, but for a recipient, whose mailbox that says is full', () => {
    expect(outcome({ responseCode: 552, command: 'MAIL FROM' })).toEqual({
      state: 'refused',
      reply,
      retryable: false,
    });
    expect(outcome({ responseCode: 552 }).reply).toBe(reply);
    expect(outcome({ responseCode: 552, command: 'RCPT TO' })).toMatchObject({
      state: 'refused',
      reply: 'the reply',
    });
  });

  it('is refused by the status 5.3.4 of any reply', () => {
    const isTooLarge = (message: string, command = 'DATA') =>
      outcome({ responseCode: 554, command }, false, message).reply.includes('DIGEST_MAX_MB');
    expect(
      ['554 5.3.4 too big', '554-5.3.4 too big', 'Data failed: 552 5.3.4 x'].map((text) => isTooLarge(text)),
    ).toEqual([true, true, true]);
    expect(
      ['554 5.3.40 x', '454 5.3.4 x', '5545.3.4', '554 5x3.4', '1554 5.3.4'].map((text) => isTooLarge(text)),
    ).toEqual([false, false, false, false, false]);
    expect(isTooLarge('554 5.3.4 too big', 'RCPT TO')).toBe(false);
  });
});

describe('a certificate that Node refuses', () => {
  it.each(['CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'INVALID_CA', 'HOSTNAME_MISMATCH'])(
    'with %s is not tried again, and its advice is in the reply',
    (originalCode) => {
      expect(outcome({ originalCode })).toEqual({
        state: 'failed',
        reply: expect.stringMatching(/^certificate refused \(the reply\): renew it, .*NODE_EXTRA_CA_CERTS/),
        retryable: false,
      });
    },
  );

  it('is none of another error', () => {
    expect(outcome({ originalCode: 'ECONNRESET' })).toEqual({
      state: 'failed',
      reply: 'the reply',
      retryable: true,
    });
  });
});

it('a reply that had to be redacted as a whole keeps its code, where it has one', () => {
  expect(outcome({ responseCode: 535 }, false, 'a secret').reply).toBe('535 [redacted]');
  expect(outcome({}, false, 'a secret').reply).toBe('[redacted]');
  expect(outcome({ responseCode: 535 }).reply).toBe('the reply');
});
