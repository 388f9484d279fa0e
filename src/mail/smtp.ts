import { Readable } from 'node:stream';
import { createTransport } from 'nodemailer';
import type { DeliveryOutcome } from '../model/digest.ts';
import type { Mailer } from './send.ts';

/**
 * Sends messages over SMTP.
 *
 * @param url `smtp://user:password@host:587` (STARTTLS, required unless the host is this machine) or `smtps://…:465`
 */
export function createSmtpMailer(url: string): Mailer {
  const address = new URL(url);
  const local = isLoopback(address.hostname);
  const secure = address.protocol === 'smtps:';
  const transport = createTransport({
    host: address.hostname.replaceAll(/[[\]]/g, ''),
    port: Number(address.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && !local,
    ...(address.username && {
      auth: { user: decodeURIComponent(address.username), pass: decodeURIComponent(address.password) },
    }),
    // What stays on this machine has no stranger to be kept from.
    ...(local && { tls: { rejectUnauthorized: false } }),
    connectionTimeout: 15_000,
    greetingTimeout: 15_000,
    socketTimeout: 60_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ from, recipient, mime }) {
      const body = Readable.from([Buffer.from(mime, 'utf8')]);
      let handedOver = false;
      body.once('end', () => {
        handedOver = true;
      });
      try {
        const info = await transport.sendMail({
          envelope: { from: bareAddress(from), to: [recipient] },
          raw: body,
        });
        return { state: 'sent', reply: info.response };
      } catch (error) {
        return outcomeOf(error as SmtpError, handedOver);
      }
    },
    async verify() {
      await transport.verify();
      const login = address.username ? 'and logged in' : 'without a login';
      return `${address.host} answers ${secure ? 'over TLS' : local ? 'on this machine' : 'with STARTTLS'} ${login}`;
    },
    close: () => transport.close(),
  };
}

type SmtpError = Error & {
  readonly responseCode?: number;
  readonly command?: string;
  readonly code?: string;
};

/**
 * A reply is definite: 5xx for the recipient or the message is final, all else may be tried again.
 * Silence after the whole message was handed over is not: the server may have taken it.
 */
function outcomeOf(error: SmtpError, handedOver: boolean): DeliveryOutcome {
  const reply = error.message.replaceAll(/\s+/g, ' ');
  if (error.responseCode === undefined) return { state: handedOver ? 'unknown' : 'failed', reply };
  const final = error.responseCode >= 500 && /^(RCPT TO|DATA)/.test(error.command ?? '');
  return { state: final ? 'refused' : 'failed', reply };
}

function bareAddress(mailbox: string): string {
  return /<([^<>]+)>/.exec(mailbox)?.[1] ?? mailbox;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
