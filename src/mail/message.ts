import { hash, randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import MailComposer, { type Options } from 'nodemailer/lib/mail-composer';
import MimeNode from 'nodemailer/lib/mime-node';
import { chartId, type DigestMessage } from '../model/digest.ts';

/** The headers that depend on the time at which a message is sent, and on the settings of then. */
export type Envelope = {
  /** Gateways refuse a message that seems to be days old. */
  readonly date: Temporal.Instant;
  readonly from: string;
  readonly replyTo: string | null;
  readonly to: readonly string[];
  readonly messageId: string;
  /** Name of the digest; null for other messages. */
  readonly list: string | null;
};

/** Builds the MIME text of a digest, to be frozen: complete but for the headers of `Envelope`. */
export async function toMime(digest: DigestMessage): Promise<string> {
  const { subject, text, html, chart, csv, csvName } = digest;
  const picture = {
    filename: 'chart.png',
    cid: chartId,
    contentType: 'image/png',
    contentDisposition: 'inline' as const,
  };
  // Both headers encode the name by RFC 2231: with `filename`, nodemailer would write an encoded word to Content-Type, which no
  // standard allows within quotes.
  const table = {
    filename: false as const,
    contentType: `text/csv; charset=utf-8; name="${csvName}"`,
    contentDisposition: `attachment; filename="${csvName}"`,
    content: Buffer.from(csv),
  };
  const attachments = [...(chart === null ? [] : [{ ...picture, content: Buffer.from(chart) }]), table];
  // Derived from the content, so that the same digest results in the same bytes.
  const baseBoundary = hash('sha256', html).slice(0, 16);
  return await buildMime({ subject, text, html, attachments, baseBoundary });
}

type Content = Pick<Options, 'subject' | 'text' | 'html' | 'attachments' | 'baseBoundary'>;

/** Placeholders, removed again: else MailComposer would generate a Message-ID and a Date. */
const placeholderId = '<none@callsheet.invalid>';
const placeholderDate = new Date(0);

/** Builds the MIME text of any message: complete but for the headers of `Envelope`. */
export async function buildMime(content: Content): Promise<string> {
  const composer = new MailComposer({
    ...content,
    date: placeholderDate,
    messageId: placeholderId,
    // Absence notes stay away: by RFC 3834, and by the header that Exchange reads instead.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const mime = await composer.compile().build();
  return mime
    .toString('utf8')
    .replace(`Message-ID: ${placeholderId}\r\n`, '')
    .replace(`Date: ${rfc5322Date(placeholderDate)}\r\n`, '');
}

/** Adds the headers of one delivery to a message of `buildMime`. */
export function addressed(mime: string, { date, from, replyTo, to, messageId, list }: Envelope): string {
  const node = new MimeNode();
  node.setHeader({
    From: from,
    ...(replyTo !== null && { 'Reply-To': replyTo }),
    ...(list !== null && { 'List-Id': listId(list, from) }),
    ...(list !== null && replyTo !== null && { 'List-Unsubscribe': unsubscribeHeader(list, replyTo) }),
  });
  const wanted = /^(From|Reply-To|List-Id|List-Unsubscribe):/i;
  const fields = node.buildHeaders().split(/\r\n(?![ \t])/);
  // In brackets: without them, spam filters take a message with one picture for spam.
  const recipients = to.map((recipient) => `<${asciiDomain(recipient)}>`).join(',\r\n ');
  const own = [
    `Date: ${rfc5322Date(new Date(date.epochMilliseconds))}`,
    `Message-ID: ${messageId}`,
    `To: ${recipients}`,
    ...fields.filter((field) => wanted.test(field)),
  ];
  return `${own.join('\r\n')}\r\n${mime}`;
}

const rfc5322Date = (date: Date) => date.toUTCString().replace('GMT', '+0000');

/** Mail programs sort by this id: it is the same for every digest of that name (RFC 2919). */
function listId(name: string, from: string): string {
  const word = domainToASCII(name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')) || 'digest';
  return `<${word}.${domainOf(from)}>`;
}

/** A mail program unsubscribes its reader by a message to this address (RFC 2369). A person handles it. */
function unsubscribeHeader(name: string, replyTo: string): string {
  const address = encodeURIComponent(replyTo).replace('%40', '@');
  return `<mailto:${address}?subject=${encodeURIComponent(`Unsubscribe from ${name}`)}>`;
}

/** The address with its domain in ASCII, as in DNS: mail servers without SMTPUTF8 accept that, too. */
export function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  return address.slice(0, at) + (domainToASCII(domain) || domain);
}

/** Creates a Message-ID in the sender's domain. Each delivery gets one and keeps it. */
export function newMessageId(from: string): string {
  return `<${randomUUID()}@${domainOf(from)}>`;
}

/** The domain of a mailbox in ASCII, as in DNS: the headers that contain it allow nothing else. */
function domainOf(from: string): string {
  return asciiDomain(bareAddress(from)).split('@')[1]!;
}

/** The address of a mailbox, without the name before it. */
export function bareAddress(mailbox: string): string {
  const [, address = mailbox] = /<([^<>]+)>/.exec(mailbox) ?? [];
  return address.trim();
}
