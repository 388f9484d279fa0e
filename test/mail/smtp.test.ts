import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressed, newMessageId, plainMime } from '../../src/mail/message.ts';
import { createSmtpMailer } from '../../src/mail/smtp.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

let server: TestSmtpServer;
beforeAll(async () => {
  server = await startSmtpServer({ refuse: ['gone@example.com'] });
});
afterAll(() => server.close());

const from = 'Callsheet <callsheet@example.com>';
it('carries a message unharmed, over TLS', async () => {
  const mime = await plainMime({ subject: 'Hällo 🐣', text: 'Hällo' }, { from, replyTo: null }, new Date(0));
  const mailer = createSmtpMailer(server.url);
  const message = addressed(mime, 'ana@example.com', newMessageId(from));
  const outcome = await mailer.send({ from, recipient: 'ana@example.com', mime: message, name: 'x' });
  mailer.close();
  expect(outcome.state).toBe('sent');
  const { raw, secure } = server.received.at(-1)!;
  expect(secure).toBe(true);
  expect(raw.trimEnd()).toBe(message.trimEnd());
});

it.each([
  ['gone@example.com', 'p%40ss%20word', 'refused', /No such user/],
  ['ana@example.com', 'wrong', 'failed', /535|Authentication/],
])('says how it ended: %s with %s is %s', async (recipient, password, state, reply) => {
  const url = new URL(server.url);
  url.password = password;
  const mailer = createSmtpMailer(url.href);
  const outcome = await mailer.send({ from, recipient, mime: 'Subject: x\r\n\r\nx', name: 'x' });
  mailer.close();
  expect(outcome.state).toBe(state);
  expect(outcome.reply).toMatch(reply);
});

it('calls it failed, to be tried again, when nobody listens', async () => {
  const mailer = createSmtpMailer('smtp://127.0.0.1:1');
  const outcome = await mailer.send({
    from,
    recipient: 'ana@example.com',
    mime: 'Subject: x\r\n\r\nx',
    name: 'x',
  });
  expect(outcome).toMatchObject({ state: 'failed', reply: expect.stringMatching(/ECONNREFUSED/) });
});
