import { describe, expect, it } from 'vitest';
import { createSmtpMailer } from '../../src/mail/smtp.ts';
import { isLoopback } from '../../src/support/loopback.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { errorsOf, onlyErrorOf } from '../config/loading.ts';
import { startSmtpServer } from '../support/smtp-server.ts';

const loopback = [
  'localhost',
  'LOCALHOST',
  '127.0.0.1',
  '127.255.255.254',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
];
const others = [
  '127.evil.example.com',
  '127.0.0.1.evil.example.com',
  'localhost.evil.example.com',
  'evil-localhost',
  '127.1.example',
  '127.0.0.256',
  '128.0.0.1',
  '0.0.0.0',
  '::',
  '::2',
  '::ffff:8.8.8.8',
  '',
];

describe('loopback', () => {
  it.each(loopback)('is %s', (host) => expect(isLoopback(host)).toBe(true));
  it.each(others)('is not %j', (host) => expect(isLoopback(host)).toBe(false));
});

describe('an http:// address of the service', () => {
  it.each([
    ['http://service.example.com/api', 'service.example.com'],
    ['http://127.evil.example.com', '127.evil.example.com'],
    ['http://0.0.0.0:8080', '0.0.0.0'],
    ['http://10.0.0.7', '10.0.0.7'],
  ])('off loopback is refused without ALLOW_INSECURE_HTTP: %s', (address, host) => {
    expect(onlyErrorOf({ SERVICE_BASE_URL: address })).toBe(
      `SERVICE_BASE_URL would send the session token unencrypted to ${host}: use https://, or set ALLOW_INSECURE_HTTP=true if every network in between is yours`,
    );
    expect(errorsOf({ SERVICE_BASE_URL: address, ALLOW_INSECURE_HTTP: 'false' })).toHaveLength(1);
    expect(errorsOf({ SERVICE_BASE_URL: address, ALLOW_INSECURE_HTTP: 'true' })).toEqual([]);
  });
});

describe('a mail server', () => {
  it('whose name begins with 127. is not this machine, and gets no password in the clear', async () => {
    const server = await startSmtpServer({ plain: true });
    // A name like any other, which resolvers happen to know without a name server.
    const mailer = createSmtpMailer(
      `smtp://digest:p%40ss%20word@127.1:${server.port}`,
      'callsheet@example.com',
      createRedactor(),
    );
    const outcome = await mailer.reach(new AbortController().signal);
    mailer.close();
    await server.close();
    expect(outcome).toMatchObject({ state: 'failed', reply: expect.stringMatching(/STARTTLS/) });
    expect(server.received).toEqual([]);
  });
});
