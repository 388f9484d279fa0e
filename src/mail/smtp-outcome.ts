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
 * Returns the outcome of a message after an error. Only a mailbox that the reply names without any doubt is a final refusal;
 * everything else is failed, and tried again. If the final dot may have been sent without a reply, the outcome is unknown: the message
 * may have arrived.
 */
export function outcomeOf(error: SmtpError, handedOver: boolean, clean: Clean): DeliveryOutcome {
  const code = error.responseCode ?? 0;
  const words = clean(error.response ?? ownWords(error));
  const reply = words === redacted && code > 0 ? `${code} ${words}` : words;
  const cause = causeOf(error);
  if (handedOver && !(code >= 400 && code < 600)) return { state: 'unknown', reply, cause };
  const advice = adviceOn(error, cause);
  return {
    state: cause === 'recipient' ? 'refused' : 'failed',
    reply: advice === null ? reply : `"${reply}": ${advice}`,
    cause,
  };
}

/** Words for people, if the server didn't reply. Errors of Node and OpenSSL keep their own. */
function ownWords({ message }: SmtpError): string {
  switch (message) {
    case 'Connection timeout':
      return 'no connection in time';
    case 'Greeting never received':
      return 'the server sent no greeting in time';
    case 'Timeout':
      return 'the server sent no reply in time';
    case 'Connection closed unexpectedly':
      return 'the server closed the connection';
    default:
      return message;
  }
}

/** The settings to change, if the reply itself doesn't name them. */
function adviceOn(
  { responseCode, response = '', message, originalCode = '', command }: SmtpError,
  cause: DeliveryCause,
) {
  if (cause === 'login' && (responseCode === 504 || /\b5\d\d[ -]5\.(5\.4|7\.(4|9|139))\b/.test(response)))
    return 'the server accepts no plain password, and Callsheet does not support OAuth; use a relay, or an app password';
  if (cause !== 'encryption') return null;
  if (isCertificate(originalCode))
    return 'renew the certificate, name the host it was issued for in SMTP_URL, or trust its authority with NODE_EXTRA_CA_CERTS or NODE_OPTIONS=--use-system-ca';
  if (isWithoutTls(message, originalCode))
    return 'the server does not start with TLS; use smtp:// in SMTP_URL';
  if (command === 'STARTTLS')
    return 'the server does not offer STARTTLS; use smtps:// in SMTP_URL, or add ?tls=optional if the network is yours';
  return null;
}

function causeOf(error: SmtpError): DeliveryCause {
  const { responseCode = 0, command = '', response = error.message } = error;
  if (responseCode >= 400 && isRefusedByMailbox(responseCode, response, command)) return 'recipient';
  if (responseCode >= 500) return refusedBy(error);
  if (isLogin(error) && responseCode === 0) return 'login';
  if (responseCode >= 400) return 'busy';
  if (isEncryption(error)) return 'encryption';
  if (error.code === 'ETIMEDOUT') return 'silent';
  return command === 'EHLO' && error.code === 'EPROTOCOL' ? 'machine' : 'unreachable';
}

/**
 * Enhanced codes (RFC 3463) that say of a mailbox that it doesn't exist (1.1, 1.2, 1.3), has moved (1.6), takes no mail
 * (1.10 of RFC 7505, which Exchange Online sends for an unknown one; 2.1) or is unknown to the next server (1.351 of
 * Exchange Online). 1.0 and 2.0 are said of senders, too: `5.2.0 SendAsDenied`, `5.1.0 sender rejected`.
 */
const mailboxCodes = ['1.1', '1.2', '1.3', '1.6', '1.10', '1.351', '2.1'];

/** Whom other enhanced codes are about. From 100 on, they are those of Exchange Online. */
const codes: readonly (readonly [cause: DeliveryCause, codes: readonly string[]])[] = [
  // SPF, DKIM and DMARC of the sender's domain (RFC 7372, Gmail), or an address that the login may not use.
  ['sender', ['1.7', '1.8', '2.252', '7.20', '7.21', '7.22', '7.23', '7.24', '7.26', '7.27', '7.28', '7.29']],
  ['sender', ['7.30', '7.32', '7.60', '7.501', '7.502', '7.503', '7.509', '7.511', '7.512', '7.750']],
  // Reverse DNS (RFC 7372), a bad HELO, too many messages from an address.
  ['machine', ['7.25', '7.506', '7.508']],
  // Size (RFC 3463) and media.
  ['message', ['2.3', '3.4']],
];

/**
 * Words that say whom a refusal is about, the clearest first; and the last row, that it is about more than a mailbox. They
 * are those of Postfix, Exim, Exchange Online, Google, Amazon SES, Mailgun, Proofpoint, Mimecast and Yahoo, as their manuals
 * have them and as bounces were collected in https://github.com/sisimai/set-of-emails.
 */
const words: readonly (readonly [cause: DeliveryCause, pattern: RegExp])[] = [
  [
    'sender',
    /send-? ?(as|on ?behalf)|sender (address|domain|e-?mail|verif\w*|was|is|not|id)|(address|domain) of (the )?sender|(reject\w*|invalid|unknown|unverified|unauthori[sz]ed|banned|forged|bad|outbound) (envelope )?sender|sender (reject|den|refus|unknown|invalid|block)|mail[ -]?from|from:? (address|domain|header|field)|\b(spf|dkim|dmarc)\b|not (been )?verified|(allowed|authori[sz]ed|permitted|permissions?|right) to send|absender|[ée]metteur|exp[ée]diteur|remitente|remetente|mittente|afzender/i,
  ],
  [
    'machine',
    /client host|\b(helo|ehlo|ptr|rbl)\b|reverse dns|\bip\b|blocked (using|by|-)|(black|block|deny)[ -]?list|dnsbl|spamhaus|relay(ing)? (is |access |not )?(denied|permitted|allowed|prohibited)|(unable|not (allowed|permitted|authori[sz]ed)) to relay|mail relay/i,
  ],
  [
    'login',
    /not authenticated|unauthenticated|authentication (is )?required|credentials|log ?in\b|\bsign in/i,
  ],
  [
    'message',
    /too (large|big|long)|(size|length) (limit|exceed)|exceed\w* .{0,40}size|attachment|virus|malware/i,
  ],
  [
    'policy',
    /send|suspend|suppress|\bfrom\b|bloqu|gesperrt|l[ií]mit|spam|junk|unsolicited|bulk|phish|abuse|reputation|suspicious|polic(y|ies)|\brules?\b|filter|quarantin|content|block|banned|listed (at|by|on)|den(y|ied)|prohibit|violat|authori[sz]|authenti|verif|permi(t|ss)|allow|quota|exceed|\brates?\b|throttl|too (many|much|fast|quickly|often)|\b(hourly|daily|monthly|per (hour|day|month))\b|maximum|volume|submission|sandbox|\btrial\b|\bplan\b|credits|billing|subscri|\byour (account|domain|server|host|network|ip)\b|client|originator|return-?path|relay|greylist|grey-list|tempor|try (again )?later|tls|encrypt|certificate|\bloop|header|complian/i,
  ],
];

/** A reply may be a megabyte. Nobody writes as much as this. */
const maxRead = 4_000;

/** The text of a reply without addresses, links and host names: these contain any word. */
const wordsOf = (response: string): string =>
  response
    .slice(0, maxRead)
    .replaceAll(/\bhttps?:\/\/\S+|\bwww\.\S+/gi, ' ')
    .replaceAll(/<[^<>\s]*>|\S+@\S+/g, ' ')
    .replaceAll(/\b[a-z0-9-]+(\.[a-z0-9-]+){2,}\b/g, ' ');

const causeOfWords = (response: string): DeliveryCause | null =>
  words.find(([, pattern]) => pattern.test(wordsOf(response)))?.[0] ?? null;

/** All enhanced codes of a reply, without their class: a server repeats what another one said. */
const codesOf = (response: string): string[] =>
  [...response.slice(0, maxRead).matchAll(/(?:\b[45]\d\d[ -]|#)[45]\.(\d{1,3}\.\d{1,3})(?![\d.]*\d)/g)].map(
    ([, code]) => code!,
  );

/**
 * Returns whether the mailbox refuses the message: the enhanced code says so and the words don't contradict it or, without a code,
 * the words say so. No word may name another cause, except in replies about a full mailbox.
 */
function isRefusedByMailbox(responseCode: number, response: string, command: string): boolean {
  if (command !== 'RCPT TO' && command !== 'DATA') return false;
  const enhanced = codesOf(response);
  const text = wordsOf(response);
  // A full mailbox, though replies about it name quotas and limits. Only Exchange's "Submission quota" is the sender's.
  if (enhanced.length > 0 && enhanced.every((code) => code === '2.2')) return !/submission/i.test(text);
  if (responseCode < 500) return false;
  if (enhanced.length > 0)
    return (
      enhanced.every((code) => mailboxCodes.includes(code)) &&
      causeOfWords(response) === null &&
      (saysNothing(text) || (isAboutMailbox.test(text) && isGone.test(text)))
    );
  if (command !== 'RCPT TO') return false;
  // 552 of a recipient is a full mailbox (RFC 5321, 4.2.3).
  if (responseCode === 552) return isFull.test(text) && !/send|submission|message/i.test(text);
  return [550, 551, 553].includes(responseCode) && isMissing.test(text) && causeOfWords(response) === null;
}

const isFull =
  /(mailbox|inbox|user|account|recipient).*(full|quota|storage|space)|over quota|quota exceeded/i;

/** At most one word next to the code: `See https://…`. */
const saysNothing = (text: string): boolean => (text.match(/\p{L}{2,}/gu) ?? []).length <= 1;

const isAboutMailbox =
  /recip|user|mailbox|inbox|account|address|adresse?|alias|destinat|empf(ä|ae)nger|benutzer|postfach|utilisateur|bo[iî]te|usuario|utente|casella/i;

/** Words for a mailbox that doesn't exist, or takes no mail. */
const isGone =
  /unknown|not ?(be )?found|not (be )?known|does(n't| not) exist|no such|no longer|no mailbox|not (listed|active|available|accepting)|un(available|rout[e]?able|deliverable)|null mx|invalid|\bbad\b|illegal|misspel|disabled|inactive|deactivat|discontinu|closed|moved|cannot be accessed|inconnu|unbekannt|desconocid|desconhecid|sconosciut|onbekend/i;

/**
 * Without an enhanced code, the words have to say it alone. `Mailbox unavailable` are those of RFC 5321 for any 550, a policy
 * included (4.2.3), and an account may be the sender's.
 */
const isMissing =
  /(user|mailbox|recipient|address(ee)?)\b.{0,40}\b(unknown|not found|not known|does(n't| not) exist|invalid|inactive|disabled|undeliverable)|(no such|unknown|invalid|unrouteable|no) (local )?(user|mailbox|recipient|address|person)/i;

/** Whom a permanent refusal is about: the code decides, then the words, then the command (RFC 5321, 4.2.4). */
function refusedBy(error: SmtpError): DeliveryCause {
  const { responseCode, command = '', response = error.message } = error;
  if (isLogin(error)) return 'login';
  const [code] = codesOf(response);
  const about = codes.find(([, some]) => code !== undefined && some.includes(code))?.[0];
  if (about !== undefined) return about;
  if (code !== undefined && /^7\.6[0-4]\d$/.test(code)) return 'machine';
  const named = causeOfWords(response);
  if (named !== null) return named;
  if (command === 'STARTTLS') return 'encryption';
  if (command === 'MAIL FROM') return 'sender';
  if (command !== 'RCPT TO' && command !== 'DATA') return 'machine';
  if (code?.startsWith('6.')) return 'message';
  if (responseCode === 552 && command === 'DATA') return 'message';
  return code?.startsWith('7.') ? 'policy' : 'undecided';
}

/** Before a login, too: 530 wants one. */
const isLogin = ({ code, responseCode, command = '', response = '' }: SmtpError): boolean =>
  command.startsWith('AUTH') ||
  code === 'EAUTH' ||
  responseCode === 530 ||
  responseCode === 535 ||
  /\b5\d\d[ -]5\.7\.(3|8|11|57|139)\b/.test(response);

/** The certificate is refused, or one side begins with TLS where the other doesn't: neither changes within a minute. */
const isEncryption = ({ code, originalCode = '', message }: SmtpError): boolean =>
  code === 'ETLS' || isCertificate(originalCode) || isWithoutTls(message, originalCode);

const isCertificate = (code: string) => /CERT|VERIFY_LEAF|INVALID_CA|HOSTNAME_MISMATCH/.test(code);

const isWithoutTls = (message: string, code: string) =>
  code === 'EPROTO' ||
  /WRONG_VERSION|wrong version number|packet length too long/i.test(`${code} ${message}`);
