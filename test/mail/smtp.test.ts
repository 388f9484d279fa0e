import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addressed, newMessageId, toMime } from '../../src/mail/message.ts';
import { createSmtpMailer } from '../../src/mail/smtp.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

let server: TestSmtpServer;
beforeAll(async () => {
  server = await startSmtpServer({ refuse: ['gone@example.com'] });
});
afterAll(() => server.close());

const from = 'Callsheet <callsheet@example.com>';
const message = {
  ...{ subject: 'Kampagnen, «Ostern» 🐣', text: 'Hällo', html: '<p>Hällo</p>' },
  ...{ csv: '\ufeff"a"\r\n"ü"\r\n', csvName: 'campaigns-2026-03-02.csv' },
};

it('carries subject, texts, CSV and the headers of its recipient unharmed', async () => {
  const id = newMessageId(from);
  const mime = await toMime(message, { from, replyTo: 'ops@example.com' }, new Date('2026-03-03T06:30:00Z'));
  expect(mime).not.toMatch(/^(to|message-id):/im);
  const mailer = createSmtpMailer(server.url);
  const outcome = await mailer.send({
    from,
    recipient: 'ana@example.com',
    mime: addressed(mime, 'ana@example.com', id),
    name: 'x',
  });
  mailer.close();
  expect(outcome.state).toBe('sent');
  const { raw, secure } = server.received.at(-1)!;
  expect(secure).toBe(true);
  const mail = await PostalMime.parse(raw);
  expect(mail).toMatchObject({
    subject: message.subject,
    messageId: id,
    date: '2026-03-03T06:30:00.000Z',
    from: { name: 'Callsheet', address: 'callsheet@example.com' },
    replyTo: [{ address: 'ops@example.com' }],
    to: [{ address: 'ana@example.com' }],
  });
  expect(mail.text?.trim()).toBe(message.text);
  expect(mail.html?.trim()).toBe(message.html);
  expect(Buffer.from(mail.attachments[0]!.content as ArrayBuffer).toString()).toBe(message.csv);
  expect(mail.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
});

it('gives the same bytes for the same digest', async () => {
  const build = () => toMime(message, { from, replyTo: null }, new Date(0));
  expect(await build()).toBe(await build());
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
