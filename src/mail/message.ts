import { createHash, randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import MailComposer, { type Options } from 'nodemailer/lib/mail-composer';
import { chartId, type DigestMessage } from '../model/digest.ts';

export type Sender = { readonly from: string; readonly replyTo: string | null };

/** Headers that differ by recipient: taken off the frozen message, put on when it is sent. */
const byRecipient = /^(?:to|message-id):.*\r\n(?:[ \t].*\r\n)*/gim;

/**
 * The MIME text of a digest, as it is frozen: whole but for To and Message-ID.
 *
 * @param date when the digest was built: the Date of every copy, however late it is sent
 */
export async function toMime(digest: DigestMessage, sender: Sender, date: Date): Promise<string> {
  return await build(sender, date, {
    subject: digest.subject,
    text: digest.text,
    html: digest.html,
    attachments: [...chartPart(digest), ...csvPart(digest)],
    listId: listId(digest.name, sender.from),
    baseBoundary: boundary(digest),
  });
}

/** The MIME text of a message without attachments, whole but for To and Message-ID. */
export async function plainMime(
  message: { readonly subject: string; readonly text: string; readonly html?: string },
  sender: Sender,
  date: Date,
): Promise<string> {
  return await build(sender, date, message);
}

type Content = Pick<Options, 'subject' | 'text' | 'html' | 'attachments' | 'baseBoundary'> & {
  readonly listId?: string;
};

async function build(
  { from, replyTo }: Sender,
  date: Date,
  { listId, ...content }: Content,
): Promise<string> {
  const composer = new MailComposer({
    ...content,
    from,
    date,
    ...(replyTo && { replyTo }),
    headers: { 'Auto-Submitted': 'auto-generated', ...(listId && { 'List-Id': listId }) },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const mime = (await composer.compile().build()).toString('utf8');
  const end = mime.indexOf('\r\n\r\n') + 2;
  return mime.slice(0, end).replaceAll(byRecipient, '') + mime.slice(end);
}

function chartPart({ chart }: DigestMessage) {
  if (chart === null) return [];
  return [
    {
      filename: 'chart.png',
      cid: chartId,
      contentType: 'image/png',
      content: Buffer.from(chart),
      contentDisposition: 'inline' as const,
    },
  ];
}

function csvPart({ csv, csvName }: DigestMessage) {
  if (csv.kind === 'too large') return [];
  const contentType = csv.kind === 'gzip' ? 'application/gzip' : 'text/csv; charset=utf-8';
  return [{ filename: csvName, content: Buffer.from(csv.content), contentType }];
}

/** From the content, so that the same digest gives the same bytes. */
function boundary({ html, csv }: DigestMessage): string {
  const hash = createHash('sha256').update(html);
  if (csv.kind !== 'too large') hash.update(csv.content);
  return hash.digest('hex').slice(0, 16);
}

/** By which mail programs sort: the same for every digest of that name (RFC 2919). */
function listId(name: string, from: string): string {
  const word = domainToASCII(name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')) || 'digest';
  return `<${word}.${domainOf(from)}>`;
}

/** The frozen message with the headers of one recipient. */
export function addressed(mime: string, recipient: string, messageId: string): string {
  return `Message-ID: ${messageId}\r\nTo: ${recipient}\r\n${mime}`;
}

/** A Message-ID in the sender's domain; made once for each delivery and kept. */
export function newMessageId(from: string): string {
  return `<${randomUUID()}@${domainOf(from)}>`;
}

function domainOf(from: string): string {
  return /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
}
