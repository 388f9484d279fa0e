import { redacted } from '../support/redaction.ts';
import type { Attempt } from './mailer.ts';

/** Makes a reply of the other side fit for the log and the database. */
export type Clean = (reply: string) => string;

/** An error from nodemailer. Its message contains the reply. */
export type SmtpError = Error & {
  readonly responseCode?: number | undefined;
  readonly command?: string | undefined;
  /** Node's error code, such as `CERT_HAS_EXPIRED`. */
  readonly originalCode?: string | undefined;
};

/**
 * A reply decides: 5xx for the recipient or the message is final, anything else may be retried.
 * If the final dot may have been sent without a reply, the outcome is unknown: the message may have arrived.
 */
export function outcomeOf(error: SmtpError, handedOver: boolean, clean: Clean): Attempt {
  const code = error.responseCode ?? 0;
  const said = clean(error.message);
  const reply = said === redacted && code > 0 ? `${code} ${said}` : said;
  if (handedOver && !(code >= 400 && code < 600)) return { state: 'unknown', reply, retryable: false };
  if (isCertificateError(error))
    return {
      state: 'failed',
      reply: `certificate refused (${reply}): ${certificateAdvice}`,
      retryable: false,
    };
  if (isTooLarge(error))
    return { state: 'refused', reply: `${reply}: lower DIGEST_MAX_MB for the next ones`, retryable: false };
  const refusal = code >= 500;
  const final = refusal && (error.command === 'RCPT TO' || error.command === 'DATA');
  // Repeated attempts with a wrong password would lock the login.
  return { state: final ? 'refused' : 'failed', reply, retryable: !refusal };
}

const certificateAdvice =
  'renew it, name the host it was issued for in SMTP_URL, or trust its authority with NODE_EXTRA_CA_CERTS or NODE_OPTIONS=--use-system-ca';

/** Returns whether Node refused a certificate: it won't change within a minute. */
function isCertificateError({ originalCode = '' }: SmtpError): boolean {
  return /CERT|VERIFY_LEAF|INVALID_CA|HOSTNAME_MISMATCH/.test(originalCode);
}

/** In reply to a recipient, 552 means a full mailbox instead (RFC 5321, 4.2.3). */
function isTooLarge({ responseCode, command, message }: SmtpError): boolean {
  if (command === 'RCPT TO') return false;
  return responseCode === 552 || /\b5\d\d[ -]5\.3\.4\b/.test(message);
}
