import { addAbortListener } from 'node:events';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopback } from '../support/loopback.ts';
import { excerpt, type Redactor } from '../support/redaction.ts';
import type { Attempt, Mailer, Outgoing } from './mailer.ts';
import { asciiDomain, bareAddress } from './message.ts';
import { type Clean, outcomeOf, type SmtpError } from './smtp-outcome.ts';

/** How long to wait for the other side, in milliseconds. */
const defaultTimeouts = {
  /** From looking up the host to a session that is encrypted. */
  connection: 60_000,
  greeting: 30_000,
  /** For each reply. Servers look into a message before they reply to its final dot, and may take minutes. */
  reply: 300_000,
  /** For the reply to a final dot, once the run is interrupted. */
  finalReply: 5_000,
  /** For the reply to QUIT, which nobody needs. */
  quit: 2_000,
};
export type SmtpTimeouts = typeof defaultTimeouts;

const maxReplyLength = 500;

/**
 * Sends messages over SMTP, all in one session as long as the server keeps it.
 * The session is nodemailer's, without its transports: those read the message before the server has accepted DATA,
 * and so can't distinguish a message that may have arrived from one that can't have.
 *
 * Replies reach the log, the database and the page: redacted, as one line of bounded length.
 *
 * @param url `smtp://user:password@host:587` (STARTTLS, required unless to this machine or `?tls=optional`) or `smtps://`
 */
export function createSmtpMailer(
  url: string,
  redactor: Pick<Redactor, 'redact'>,
  timeouts: SmtpTimeouts = defaultTimeouts,
): Mailer {
  const server = parseSmtpUrl(url);
  let session: SMTPConnection | null = null;
  const clean: Clean = (reply) => excerpt(reply, redactor, maxReplyLength);

  async function reach(signal: AbortSignal): Promise<Attempt | null> {
    if (session !== null && !session.destroyed) return null;
    try {
      session = await openSession(server, timeouts, signal);
      return null;
    } catch (error) {
      return outcomeOf(error as SmtpError, false, clean);
    }
  }

  return {
    reach,
    async send(message, signal) {
      const current = session!;
      const outcome = await transmit(current, message, clean, timeouts, signal);
      // What the server refused may still be open in its session.
      if (outcome.state !== 'sent' && !(await reset(current))) current.close();
      return outcome;
    },
    async verify() {
      const failed = await reach(new AbortController().signal);
      if (failed !== null) throw new Error(failed.reply);
      return `${server.description} ${server.login ? 'and logged in' : 'without a login'}`;
    },
    close() {
      if (session !== null) quit(session, timeouts);
      session = null;
    },
  };
}

type SmtpServer = ReturnType<typeof parseSmtpUrl>;

function parseSmtpUrl(url: string) {
  const { hostname, protocol, port, username, password, searchParams } = new URL(url);
  const secure = protocol === 'smtps:';
  const local = isLoopback(hostname);
  // Behind smtps:// there is nothing optional: it would only drop the check of the certificate.
  const optional = !secure && searchParams.get('tls') === 'optional';
  const number = Number(port) || (secure ? 465 : 587);
  const unencrypted = optional ? 'with TLS if it has it' : 'with STARTTLS';
  const way = local ? 'on this machine' : unencrypted;
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: number,
    /** Encrypted from the first byte. */
    secure,
    /** Whether a connection that isn't encrypted will do. */
    plainAllowed: local || optional,
    login: username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : null,
    /** Where and how it responds, for people. */
    description: `${hostname}:${number} responds ${secure ? 'over TLS' : way}`,
  };
}

async function openSession(
  { host, port, secure, plainAllowed, login }: SmtpServer,
  timeouts: SmtpTimeouts,
  signal: AbortSignal,
): Promise<SMTPConnection> {
  const connection = new SMTPConnection({
    host,
    port,
    secure,
    requireTLS: !secure && !plainAllowed,
    // Who may be spoken to in the clear needs no certificate either.
    ...(plainAllowed && { opportunisticTLS: true, tls: { rejectUnauthorized: false } }),
    connectionTimeout: timeouts.connection,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.reply,
    // At once: what is still on its way to the server must not reach it after we gave the message up.
    socketCloseTimeout: 0,
  });
  const { promise, resolve, reject } = Promise.withResolvers<SMTPConnection>();
  // Not removed: later errors are reported by what is in progress; those of an idle session matter to no one.
  connection.on('error', reject);
  connection.connect((error) => {
    if (error) return reject(error);
    if (login === null || !connection.allowsAuth) return resolve(connection);
    connection.login({ ...login }, (refusal) => (refusal ? reject(refusal) : resolve(connection)));
  });
  try {
    return await orInterrupt(promise, signal, () => {
      reject(new Error('interrupted before the server was reached'));
    });
  } catch (error) {
    if (signal.aborted) connection.close();
    else quit(connection, timeouts);
    throw error;
  }
}

/** Ends an idle session as the protocol wants it; a server that doesn't reply is left soon. */
function quit(session: SMTPConnection, timeouts: SmtpTimeouts): void {
  setTimeout(() => session.close(), timeouts.quit).unref();
  session.quit();
}

async function transmit(
  session: SMTPConnection,
  { from, recipient, mime }: Outgoing,
  clean: Clean,
  timeouts: SmtpTimeouts,
  signal: AbortSignal,
): Promise<Attempt> {
  // The session reads it after DATA was accepted, and sends the final dot after its end.
  const body = Readable.from(pieces(Buffer.from(mime, 'utf8')));
  let handedOver = false;
  body.once('end', () => {
    handedOver = true;
  });
  const { promise, resolve } = Promise.withResolvers<Attempt>();
  const envelope = { from: asciiDomain(bareAddress(from)), to: [asciiDomain(recipient)] };
  session.send(envelope, body, (error, info) => {
    if (error) resolve(outcomeOf(error, handedOver, clean));
    else resolve({ state: 'sent', reply: clean(info!.response), retryable: false });
  });
  const giveUp = () => {
    session.close();
    resolve(outcomeOf(new Error('interrupted while sending'), handedOver, clean));
  };
  return await orInterrupt(promise, signal, () => {
    if (handedOver) setTimeout(giveUp, timeouts.finalReply).unref();
    else giveUp();
  });
}

/** Awaits the promise; `interrupt`, which has to settle it, is called if the signal is aborted before. */
async function orInterrupt<T>(promise: Promise<T>, signal: AbortSignal, interrupt: () => void): Promise<T> {
  using _ = addAbortListener(signal, interrupt);
  return await promise;
}

/** In small pieces, so that the end isn't read long before it can be sent. */
function* pieces(message: Buffer): Generator<Buffer> {
  const size = 16_384;
  for (let start = 0; start < message.length; start += size) yield message.subarray(start, start + size);
}

/** Whether the session can carry another message. */
async function reset(session: SMTPConnection): Promise<boolean> {
  return await new Promise((resolve) => {
    session.once('end', () => resolve(false));
    session.reset((error) => resolve(!error));
  });
}
