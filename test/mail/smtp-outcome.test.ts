import { describe, expect, it } from 'vitest';
import { outcomeOf, type SmtpError } from '../../src/mail/smtp-outcome.ts';

const clean = (reply: string) => (reply.includes('secret') ? '[redacted]' : reply);
const outcome = (part: Partial<SmtpError>, handedOver = false) =>
  outcomeOf(Object.assign(new Error(part.message ?? 'the reply'), part), undefined, handedOver, clean);

it.each([
  [undefined, 'unknown'],
  [399, 'unknown'],
  [400, 'failed'],
  [599, 'failed'],
  [600, 'unknown'],
])('a message that the server may have is decided by its reply: %s is %s', (responseCode, state) => {
  expect(outcome({ responseCode, command: 'DATA' }, true).state).toBe(state);
});

it.each([
  [{ code: 'ETIMEDOUT', command: 'CONN' }, 'connection'],
  [{ code: 'ECONNECTION', originalCode: 'ECONNREFUSED', command: 'CONN' }, 'connection'],
  [{ code: 'EDNS' }, 'connection'],
  [{ code: 'ETLS', command: 'STARTTLS' }, 'tls'],
  [{ code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' }, 'tls'],
  [{ code: 'EAUTH', command: 'API', message: 'Missing credentials for "PLAIN"' }, 'login'],
] as const)('%j ends the session at its step %s, without a code', (part, step) => {
  expect(outcome(part)).toMatchObject({ state: 'failed', step, code: null });
});

describe('the reply', () => {
  it.each([
    [{ originalCode: 'HOSTNAME_MISMATCH' }, 'NODE_EXTRA_CA_CERTS'],
    [{ originalCode: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'use smtp:// in SMTP_URL'],
    [{ responseCode: 454, command: 'STARTTLS' }, 'use smtps:// in SMTP_URL'],
  ])('to %j says what to set', (part, advice) => {
    expect(outcome(part)).toMatchObject({ step: 'tls', reply: expect.stringContaining(advice) });
  });

  it('that had to be redacted as a whole keeps its code, if it has one', () => {
    expect(outcome({ responseCode: 535, message: 'a secret' }).reply).toBe('535 [redacted]');
    expect(outcome({ message: 'a secret' }).reply).toBe('[redacted]');
    expect(outcome({ responseCode: 535 }).reply).toBe('the reply');
  });
});
