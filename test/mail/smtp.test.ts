import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressed, newMessageId, plainMime } from '../../src/mail/message.ts';
import { createSmtpMailer } from '../../src/mail/smtp.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

let server: TestSmtpServer;
beforeAll(async () => {
  server = await startSmtpServer({
    onRecipient: (address) => (address === 'gone@example.com' ? '550 No such user' : null),
  });
});
afterAll(() => server.close());

const never = new AbortController().signal;
const from = 'Callsheet <callsheet@example.com>';
it('carries a message unharmed, over TLS', async () => {
  const mime = await plainMime({ subject: 'Hällo 🐣', text: 'Hällo' }, { from, replyTo: null }, new Date(0));
  const mailer = createSmtpMailer(server.url);
  expect(await mailer.reach(never)).toBeNull();
  const message = addressed(mime, 'ana@example.com', newMessageId(from));
  const outcome = await mailer.send({ from, recipient: 'ana@example.com', mime: message, name: 'x' }, never);
  mailer.close();
  expect(outcome.state).toBe('sent');
  const { raw, secure } = server.received.at(-1)!;
  expect(secure).toBe(true);
  expect(raw.trimEnd()).toBe(message.trimEnd());
});
