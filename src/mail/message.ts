import { createHash, randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import MailComposer, { type Options } from 'nodemailer/lib/mail-composer';
import { chartId, type DigestMessage } from '../model/digest.ts';

export type Sender = { readonly from: string; readonly replyTo: string | null };

/**
 * Builds the MIME text of a digest, to be frozen: complete except for To and Message-ID.
 *
 * @param date when the digest was built: every copy has this Date, however late it is sent
 */
export async function toMime(digest: DigestMessage, sender: Sender, date: Date): Promise<string> {
  const { subject, text, html } = digest;
  return await buildMime(
    {
      subject,
      text,
      html,
      attachments: attachmentsOf(digest),
      headers: {
        'List-Id': listId(digest.name, sender.from),
        ...unsubscribeHeader(digest.name, sender.replyTo),
      },
      // Derived from the content, so that the same digest results in the same bytes.
      baseBoundary: createHash('sha256').update(digest.html).digest('hex').slice(0, 16),
    },
    sender,
    date,
  );
}

type Content = Pick<Options, 'subject' | 'text' | 'html' | 'attachments' | 'baseBoundary'> & {
  readonly headers?: { readonly [name: string]: string };
};

/** A placeholder, removed again: else MailComposer would generate one. Each delivery adds its own. */
const messageId = '<none@callsheet.invalid>';

/** Builds the MIME text of any message: complete except for To and Message-ID. */
export async function buildMime(
  { headers, ...content }: Content,
  { from, replyTo }: Sender,
  date: Date,
): Promise<string> {
  const composer = new MailComposer({
    ...content,
    from,
    date,
    messageId,
    ...(replyTo && { replyTo }),
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const mime = await composer.compile().build();
  return mime.toString('utf8').replace(`Message-ID: ${messageId}\r\n`, '');
}

function attachmentsOf(digest: DigestMessage): NonNullable<Options['attachments']> {
  const { chart } = digest;
  const picture = {
    filename: 'chart.png',
    cid: chartId,
    contentType: 'image/png',
    contentDisposition: 'inline' as const,
  };
  return [
    ...(chart === null ? [] : [{ ...picture, content: Buffer.from(chart) }]),
    { ...namedAttachment('text/csv; charset=utf-8', digest.csvName), content: Buffer.from(digest.csv) },
  ];
}

/**
 * Type and name of an attachment. Both headers encode the name by RFC 2231: with `filename`, nodemailer would
 * write an encoded word to Content-Type, which no standard allows within quotes.
 */
function namedAttachment(type: string, name: string) {
  return {
    filename: false as const,
    contentType: `${type}; name="${name}"`,
    contentDisposition: `attachment; filename="${name}"`,
  };
}

/** Mail programs sort by this id: it is the same for every digest of that name (RFC 2919). */
function listId(name: string, from: string): string {
  const word = domainToASCII(name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')) || 'digest';
  return `<${word}.${domainOf(from)}>`;
}

/** A mail program unsubscribes its reader by a message to this address (RFC 2369). A person handles it. */
function unsubscribeHeader(name: string, replyTo: string | null): { readonly [name: string]: string } {
  if (replyTo === null) return {};
  const address = encodeURIComponent(replyTo).replace('%40', '@');
  const subject = encodeURIComponent(`Unsubscribe from ${name}`);
  return { 'List-Unsubscribe': `<mailto:${address}?subject=${subject}>` };
}

/**
 * Adds the headers of one delivery to a frozen message. Addresses are in brackets: without them, spam filters
 * take a message with one picture for spam.
 */
export function addressed(mime: string, recipients: readonly string[], messageId: string): string {
  const to = recipients.map((recipient) => `<${asciiDomain(recipient)}>`).join(',\r\n ');
  return `Message-ID: ${messageId}\r\nTo: ${to}\r\n${mime}`;
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
