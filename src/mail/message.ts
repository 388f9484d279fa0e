import { createHash, randomUUID } from 'node:crypto';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { DigestMessage } from '../model/digest.ts';

export type Sender = { readonly from: string; readonly replyTo: string | null };

/** Headers that differ by recipient: taken off the frozen message, put on when it is sent. */
const byRecipient = /^(?:to|message-id):.*\r\n(?:[ \t].*\r\n)*/gim;

/**
 * The MIME text of a digest, as it is frozen: whole but for To and Message-ID.
 *
 * @param date when the digest was built: the Date of every copy, however late it is sent
 */
export async function toMime(digest: DigestMessage, sender: Sender, date: Date): Promise<string> {
  const composer = new MailComposer({
    from: sender.from,
    ...(sender.replyTo && { replyTo: sender.replyTo }),
    subject: digest.subject,
    date,
    text: digest.text,
    html: digest.html,
    attachments: [{ filename: digest.csvName, content: digest.csv, contentType: 'text/csv; charset=utf-8' }],
    headers: { 'Auto-Submitted': 'auto-generated' },
    // From the content, so that the same digest gives the same bytes.
    baseBoundary: createHash('sha256').update(digest.html).update(digest.csv).digest('hex').slice(0, 16),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const mime = (await composer.compile().build()).toString('utf8');
  const end = mime.indexOf('\r\n\r\n') + 2;
  return mime.slice(0, end).replaceAll(byRecipient, '') + mime.slice(end);
}

/** The frozen message with the headers of one recipient. */
export function addressed(mime: string, recipient: string, messageId: string): string {
  return `Message-ID: ${messageId}\r\nTo: ${recipient}\r\n${mime}`;
}

/** A Message-ID in the sender's domain; made once for each delivery and kept. */
export function newMessageId(from: string): string {
  const domain = /@([^\s@>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${randomUUID()}@${domain}>`;
}
