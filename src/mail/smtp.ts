import { addAbortListener } from 'node:events';
import { Readable } from 'node:stream';
import { connect } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { DeliveryOutcome } from '../model/digest.ts';
import { isLoopback } from '../support/loopback.ts';
import { excerpt, type Redactor } from '../support/redaction.ts';
import type { Mailer, Outgoing } from './mailer.ts';
import { asciiDomain, bareAddress } from './message.ts';
import { type Clean, outcomeOf, type SmtpError } from './smtp-outcome.ts';

/** Time to wait for the other side, in milliseconds. */
const defaultTimeouts = {
  /** From the host lookup to an encrypted session. */
  connection: 60_000,
  greeting: 30_000,
  /** Limit for each reply. Servers may scan a message for minutes before they reply to its final dot. */
  reply: 300_000,
  /** Limit for the reply to the final dot, once the run is interrupted. */
  finalReply: 5_000,
  /** Limit for the reply to QUIT, which nobody needs. */
  quit: 2_000,
};
export type SmtpTimeouts = typeof defaultTimeouts;

/** Longer than what any server writes: a reply is quoted whole. */
const maxReplyLength = 2_000;

/**
 * Sends messages over SMTP, in one session until either side closes it.
 * It uses nodemailer's session, but not its transports: those read the message before the server has accepted
 * DATA, so they can't distinguish a message that may have arrived from one that can't have.
 *
 * The log, the database and the page show replies: each is redacted, and made one line.
 *
 * @param url `smtp://user:password@host:587` or `smtps://`; `smtp://` requires STARTTLS, except to this
 *   machine or with `?tls=optional`
 * @param from mailbox whose domain greets the server, unless the address has a `?name=`: the host name of a container
 *   has no dot, and some servers refuse that
 */
export function createSmtpMailer(
  url: string,
  from: string,
  redactor: Pick<Redactor, 'redact'>,
  timeouts: SmtpTimeouts = defaultTimeouts,
): Mailer {
  const server = parseSmtpUrl(url, from);
  let session: SMTPConnection | null = null;
  /** The commands that the server has still to reply to. */
  let awaited: string[] = [];
  const clean: Clean = (reply) => excerpt(reply, redactor, maxReplyLength);
  const toOutcome: ToOutcome = (error, handedOver) => outcomeOf(error, awaited[0], handedOver, clean);

  const logger = {
    debug({ tnx }: { readonly tnx?: string }, text: string) {
      if (tnx === 'client') awaited.push(/^[A-Z]+( FROM| TO)?/.exec(text)?.[0] ?? 'AUTH');
      if (tnx === 'server') awaited.shift();
    },
  };

  async function reach(signal: AbortSignal): Promise<DeliveryOutcome | null> {
    if (session !== null && !session.destroyed) return null;
    try {
      awaited = [];
      session = await openSession(server, timeouts, logger, signal);
      return null;
    } catch (error) {
      const failed = error as SmtpError;
      const outcome = toOutcome(failed, false);
      if (server.secure || failed.code !== 'ETIMEDOUT') return outcome;
      // A server that starts with TLS waits for it, and the client for a greeting.
      if (!(await startsWithTls(server, timeouts.greeting, signal))) return outcome;
      const advice = `port ${server.port} starts with TLS; use smtps:// in SMTP_URL`;
      return { ...outcome, step: 'tls', reply: `${outcome.reply}: ${advice}` };
    }
  }

  return {
    reach,
    async send(message, signal) {
      const current = session!;
      const outcome = await transmit(current, message, clean, toOutcome, timeouts, signal);
      // An unsent message may still be open in the session.
      if (outcome.state !== 'sent' && !(await reset(current))) current.close();
      return outcome;
    },
    async verify() {
      const failed = await reach(new AbortController().signal);
      if (failed !== null) throw new Error(failed.reply, { cause: failed.step });
      if (server.login === null) return `${server.description} without a login`;
      if (session!.allowsAuth) return `${server.description} and logged in`;
      return `${server.description} and offers no login: user and password of SMTP_URL are not used`;
    },
    close() {
      if (session !== null) quit(session, timeouts);
      session = null;
    },
  };
}

type SmtpServer = ReturnType<typeof parseSmtpUrl>;
type ToOutcome = (error: SmtpError, handedOver: boolean) => DeliveryOutcome;

function parseSmtpUrl(url: string, from: string) {
  const { hostname, protocol, port, username, password, searchParams } = new URL(url);
  const secure = protocol === 'smtps:';
  const local = isLoopback(hostname);
  // With smtps://, TLS is never optional: the option would only turn off the certificate check.
  const optional = !secure && searchParams.get('tls') === 'optional';
  const portNumber = Number(port) || (secure ? 465 : 587);
  const upgrade = optional ? 'with TLS if it has it' : 'with STARTTLS';
  const security = local ? 'on this machine' : upgrade;
  return {
    host: hostname.replaceAll(/[[\]]/g, ''),
    port: portNumber,
    /** Name in the greeting. */
    name: searchParams.get('name') ?? asciiDomain(bareAddress(from)).split('@')[1]!,
    /** Encrypted from the first byte. */
    secure,
    /** An unencrypted connection is accepted. */
    plainAllowed: local || optional,
    login: username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : null,
    /** Its address and encryption, for people. */
    description: `${hostname}:${portNumber} responds ${secure ? 'over TLS' : security}`,
  };
}

async function openSession(
  { host, port, name, secure, plainAllowed, login }: SmtpServer,
  timeouts: SmtpTimeouts,
  logger: { readonly debug: (entry: { readonly tnx?: string }, text: string) => void },
  signal: AbortSignal,
): Promise<SMTPConnection> {
  const connection = new SMTPConnection({
    host,
    port,
    name,
    secure,
    requireTLS: !secure && !plainAllowed,
    // A server that may be used without encryption needs no valid certificate either.
    ...(plainAllowed && { opportunisticTLS: true, tls: { rejectUnauthorized: false } }),
    connectionTimeout: timeouts.connection,
    greetingTimeout: timeouts.greeting,
    socketTimeout: timeouts.reply,
    // Closes at once: no pending data may reach the server after we gave up on the message.
    socketCloseTimeout: 0,
    logger,
    transactionLog: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<SMTPConnection>();
  // This listener stays. The call in progress reports later errors; errors of an idle session don't matter.
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

/** Tries TLS on a port that sent no greeting. Nothing is sent over it, so its certificate doesn't matter. */
async function startsWithTls(
  { host, port }: SmtpServer,
  timeout: number,
  signal: AbortSignal,
): Promise<boolean> {
  const socket = connect({ host, port, rejectUnauthorized: false, timeout });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('secureConnect', () => resolve(true));
  socket.once('timeout', () => resolve(false));
  socket.once('error', () => resolve(false));
  socket.once('close', () => resolve(false));
  const isTls = await orInterrupt(promise, signal, () => resolve(false));
  socket.destroy();
  return isTls;
}

/** Ends a session with QUIT. Closes it soon if the server doesn't reply. */
function quit(session: SMTPConnection, timeouts: SmtpTimeouts): void {
  setTimeout(() => session.close(), timeouts.quit).unref();
  session.quit();
}

async function transmit(
  session: SMTPConnection,
  { from, recipient, mime }: Outgoing,
  clean: Clean,
  toOutcome: ToOutcome,
  timeouts: SmtpTimeouts,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  // The session reads the body after the server has accepted DATA, then sends the final dot.
  const body = Readable.from(pieces(Buffer.from(mime, 'utf8')));
  let bodyRead = false;
  body.once('end', () => {
    bodyRead = true;
  });
  const { promise, resolve } = Promise.withResolvers<DeliveryOutcome>();
  const envelope = { from: asciiDomain(bareAddress(from)), to: [asciiDomain(recipient)] };
  session.send(envelope, body, (error, info) => {
    if (error) resolve(toOutcome(error, bodyRead));
    else resolve({ state: 'sent', reply: clean(info!.response), step: null, code: null });
  });
  const giveUp = () => {
    session.close();
    resolve(toOutcome(new Error('interrupted while sending'), bodyRead));
  };
  return await orInterrupt(promise, signal, () => {
    if (bodyRead) setTimeout(giveUp, timeouts.finalReply).unref();
    else giveUp();
  });
}

/** Awaits the promise. If the signal is aborted first, calls `interrupt`, which must settle the promise. */
async function orInterrupt<T>(promise: Promise<T>, signal: AbortSignal, interrupt: () => void): Promise<T> {
  using _ = addAbortListener(signal, interrupt);
  return await promise;
}

/** Splits a message into small pieces: its end must not be read long before it is sent. */
function* pieces(message: Buffer): Generator<Buffer> {
  const size = 16_384;
  for (let start = 0; start < message.length; start += size) yield message.subarray(start, start + size);
}

/** Resets the session. Returns whether it can carry another message. */
async function reset(session: SMTPConnection): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const onEnd = () => resolve(false);
  session.once('end', onEnd);
  session.reset((error) => resolve(!error));
  const isReset = await promise;
  session.off('end', onEnd);
  return isReset;
}
