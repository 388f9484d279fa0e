import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Mailer } from '../../src/mail/mailer.ts';
import { createSmtpMailer } from '../../src/mail/smtp.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { read } from '../deploy/known.ts';
import { type SmtpProxy, type SmtpStage, startSmtpProxy } from '../support/smtp-proxy.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

/** `dot` is the final dot. */
const stages: Readonly<Record<string, readonly [stage: SmtpStage, step: string]>> = {
  CONN: ['greeting', 'connection'],
  MAIL: ['MAIL', 'sender'],
  RCPT: ['RCPT', 'recipient'],
  dot: ['reply', 'message'],
};

/** Replies of manuals, and of https://github.com/sisimai/set-of-emails: to what, and the lines. */
const replies = read('test/mail/replies.txt')
  .trim()
  .split('\n')
  .map((line) => /^(\w+) (.*)$/.exec(line)!.slice(1) as [to: string, reply: string]);

const from = 'Callsheet <callsheet@example.com>';
const message = { from, recipient: 'ana@example.com', name: 'x', mime: 'Subject: x\r\n\r\n' };
const never = new AbortController().signal;

let server: TestSmtpServer;
let proxy: SmtpProxy;
let mailer: Mailer;
let refusal: { readonly at: SmtpStage; readonly reply: string };
beforeAll(async () => {
  server = await startSmtpServer({ plain: true });
  proxy = await startSmtpProxy(server.port, (stage) =>
    stage === refusal.at ? { reply: refusal.reply } : 'pass',
  );
  mailer = createSmtpMailer(proxy.url, from, createRedactor());
});
afterAll(async () => {
  mailer.close();
  await proxy.close();
  await server.close();
});

it.each(replies)('to %s, %s is quoted whole, and means that the message was not taken', async (to, lines) => {
  const [at, step] = stages[to]!;
  refusal = { at, reply: lines.replaceAll('\\n', '\r\n') };
  if (to === 'CONN') mailer.close();
  expect((await mailer.reach(never)) ?? (await mailer.send(message, never))).toEqual({
    state: 'failed',
    step,
    code: Number.parseInt(lines, 10),
    reply: lines.replaceAll(/\\n|\s+/g, ' '),
  });
});
