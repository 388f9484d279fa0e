import type { DeliveryCause, DeliveryOutcome } from '../model/digest.ts';
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
 * What an error means for a message. Only a refusal of the mailbox is final; of all others the next run may try again.
 * If the final dot may have been sent without a reply, the outcome is unknown: the message may have arrived.
 */
export function outcomeOf(error: SmtpError, handedOver: boolean, clean: Clean): DeliveryOutcome {
  const code = error.responseCode ?? 0;
  const said = clean(error.message);
  const reply = said === redacted && code > 0 ? `${code} ${said}` : said;
  const cause = causeOf(error);
  if (handedOver && !(code >= 400 && code < 600)) return { state: 'unknown', reply, cause };
  const advice = adviceOn(error, cause);
  return {
    state: cause === 'recipient' ? 'refused' : 'failed',
    reply: advice === null ? reply : `${reply}: ${advice}`,
    cause,
  };
}

/** What to set if the error itself doesn't say it. */
function adviceOn(
  { responseCode, response = '', message, originalCode = '' }: SmtpError,
  cause: DeliveryCause,
) {
  if (cause === 'login' && (responseCode === 504 || /\b5\d\d[ -]5\.(5\.4|7\.(4|9|139))\b/.test(response)))
    return 'the server accepts no plain password, and Callsheet does not support OAuth; use a relay, or an app password';
  if (cause !== 'encryption') return null;
  if (isCertificate(originalCode))
    return 'renew the certificate, name the host it was issued for in SMTP_URL, or trust its authority with NODE_EXTRA_CA_CERTS or NODE_OPTIONS=--use-system-ca';
  if (isWithoutTls(message, originalCode))
    return 'the server does not start with TLS; use smtp:// in SMTP_URL';
  return null;
}

function causeOf(error: SmtpError): DeliveryCause {
  const { responseCode = 0, command = '' } = error;
  if (responseCode >= 500) return refusedBy(error);
  if (isLogin(error) && responseCode === 0) return 'login';
  if (responseCode >= 400) return 'busy';
  if (isEncryption(error)) return 'encryption';
  if (error.code === 'ETIMEDOUT') return 'silent';
  return command === 'EHLO' && error.code === 'EPROTOCOL' ? 'machine' : 'unreachable';
}

/**
 * Who or what a permanent refusal is about: the enhanced code decides (RFC 3463), then the command (RFC 5321, 4.2.4).
 * Replies to RCPT and DATA without a telling code may be about anything.
 */
function refusedBy(error: SmtpError): DeliveryCause {
  const { responseCode, command = '', response = error.message } = error;
  if (isLogin(error)) return 'login';
  const [, subject, detail] = /\b5\d\d[ -]5\.(\d{1,3})\.(\d{1,3})\b/.exec(response) ?? [];
  const told = subject === undefined ? null : causeOfCode(Number(subject), Number(detail));
  const isBeforeRecipient = command !== 'RCPT TO' && command !== 'DATA';
  if (told === 'recipient' && isBeforeRecipient) return command === 'MAIL FROM' ? 'sender' : 'machine';
  if (told !== null && told !== 'policy') return told;
  const named = causeOfText(response);
  if (named !== null) return named;
  if (command === 'STARTTLS') return 'encryption';
  if (command === 'MAIL FROM') return 'sender';
  if (isBeforeRecipient) return 'machine';
  // In reply to a recipient, 552 means a full mailbox instead (RFC 5321, 4.2.3).
  if (responseCode === 552) return command === 'RCPT TO' ? 'recipient' : 'message';
  return told ?? 'undecided';
}

/** Postfix and Exim answer RCPT for all that came before, and say in words what they mean. */
function causeOfText(response: string): DeliveryCause | null {
  if (/sender address rejected|sender verify failed|send ?as/i.test(response)) return 'sender';
  if (
    /client host rejected|helo command rejected|blocked using|block ?list|relay(ing)? (access |not )?(denied|permitted)/i.test(
      response,
    )
  )
    return 'machine';
  return null;
}

/** Before a login, too: 530 wants one. */
const isLogin = ({ code, responseCode, command = '', response = '' }: SmtpError): boolean =>
  command.startsWith('AUTH') ||
  code === 'EAUTH' ||
  responseCode === 530 ||
  responseCode === 535 ||
  /\b5\d\d[ -]5\.7\.(3|8|9|11|57|139)\b/.test(response);

/** What an enhanced code `5.subject.detail` tells; null if it could be said of anything. */
function causeOfCode(subject: number, detail: number): DeliveryCause | null {
  if (subject === 1) return detail === 7 || detail === 8 ? 'sender' : 'recipient';
  if (subject === 2) {
    if (detail === 252) return 'sender';
    return detail === 3 ? 'message' : 'recipient';
  }
  if (subject === 3 && detail === 4) return 'message';
  if (subject === 6) return 'message';
  if (subject !== 7) return null;
  // SPF, DKIM or DMARC of the sender's domain, or a login that may not use the address; above 60, of Exchange.
  if ([20, 21, 22, 23, 24, 26, 27, 28, 29, 30, 60, 501, 502, 503, 509, 511, 512].includes(detail))
    return 'sender';
  // The machine's address has no name, or is on a list.
  if ([25, 506, 508].includes(detail) || (detail >= 606 && detail <= 649)) return 'machine';
  return 'policy';
}

/** The certificate is refused, or one side begins with TLS where the other doesn't: neither changes within a minute. */
const isEncryption = ({ code, originalCode = '', message }: SmtpError): boolean =>
  code === 'ETLS' || isCertificate(originalCode) || isWithoutTls(message, originalCode);

const isCertificate = (code: string) => /CERT|VERIFY_LEAF|INVALID_CA|HOSTNAME_MISMATCH/.test(code);

const isWithoutTls = (message: string, code: string) =>
  code === 'EPROTO' ||
  /WRONG_VERSION|wrong version number|packet length too long/i.test(`${code} ${message}`);
