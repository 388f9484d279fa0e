import type { DeliveryOutcome, DeliveryStep } from '../model/digest.ts';
import { redacted } from '../support/redaction.ts';

/** Makes a reply of the other side fit for the log and the database. */
export type Clean = (reply: string) => string;

/** An error from nodemailer. Its message contains the reply. */
export type SmtpError = Error & {
  readonly code?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
  readonly command?: string | undefined;
  /** Node's error code, such as `CERT_HAS_EXPIRED`. */
  readonly originalCode?: string | undefined;
};

/**
 * Returns the outcome of a message after an error: failed, whatever the reply says. If the final dot may have been sent
 * without a reply, the outcome is unknown: the message may have arrived.
 *
 * @param awaited command that the server had still to reply to
 */
export function outcomeOf(
  error: SmtpError,
  awaited: string | undefined,
  handedOver: boolean,
  clean: Clean,
): DeliveryOutcome {
  const code = error.responseCode ?? null;
  const words = clean(error.response ?? ownWords(error, awaited));
  const reply = words === redacted && code !== null ? `${code} ${words}` : words;
  const step = stepOf(error);
  if (handedOver && !(code !== null && code >= 400 && code < 600))
    return { state: 'unknown', reply, step, code };
  const advice = step === 'tls' ? adviceOn(error) : null;
  return { state: 'failed', reply: advice === null ? reply : `"${reply}": ${advice}`, step, code };
}

function stepOf({ code, command = '', originalCode = '' }: SmtpError): DeliveryStep {
  if (command === 'STARTTLS' || code === 'ETLS' || isCertificate(originalCode) || isWithoutTls(originalCode))
    return 'tls';
  if (code === 'EAUTH') return 'login';
  if (command === 'MAIL FROM') return 'sender';
  if (command === 'RCPT TO') return 'recipient';
  return command === 'DATA' ? 'message' : 'connection';
}

/** Words for people, if the server didn't reply. Errors of Node and OpenSSL keep their own. */
function ownWords({ message }: SmtpError, awaited: string | undefined): string {
  const words = wordsFor[message];
  if (words === undefined) return message;
  return awaited === undefined ? words : `${words} (${awaited})`;
}

const wordsFor: Readonly<Record<string, string>> = {
  'Connection timeout': 'no connection in time',
  'Greeting never received': 'the server sent no greeting in time',
  Timeout: 'the server sent no reply in time',
  'Connection closed unexpectedly': 'the server closed the connection',
};

/** The settings to change, by the codes of Node and OpenSSL. */
function adviceOn({ originalCode = '', command }: SmtpError): string | null {
  if (isCertificate(originalCode))
    return 'renew the certificate, name the host it was issued for in SMTP_URL, or trust its authority with NODE_EXTRA_CA_CERTS or NODE_OPTIONS=--use-system-ca';
  if (isWithoutTls(originalCode)) return 'the server does not start with TLS; use smtp:// in SMTP_URL';
  if (command === 'STARTTLS')
    return 'the server does not offer STARTTLS; use smtps:// in SMTP_URL, or add ?tls=optional if the network is yours';
  return null;
}

const isCertificate = (code: string) => /CERT|VERIFY_LEAF|INVALID_CA|HOSTNAME_MISMATCH/.test(code);

/** The other side began without TLS. */
const isWithoutTls = (code: string) => /^EPROTO$|WRONG_VERSION|PACKET_LENGTH_TOO_LONG/.test(code);
