import { parse } from 'csv-parse/sync';
import PostalMime from 'postal-mime';

/** The subject of a mail and the parts of its text that tests ask for, and its CSV. */
export type ReadMail = {
  readonly linesOf: (kind: Kind) => readonly string[];
  readonly csv: readonly Readonly<Record<string, string>>[];
};

export type Kind = 'subject' | keyof typeof beginnings;

/** How a part begins. */
const beginnings = {
  corrected: /^Corrected: /,
  incomplete: /^Incomplete(:|, )/,
  provisional: /^Provisional, /,
  earlier: /^EARLIER PERIODS AND CORRECTIONS$/,
  /** A day that comes late, under its date. */
  late: /^\w{3} \d+ \w+( \(\w+\))?: /,
  silent: /^No calls on /,
  attention: /^Needs attention$/,
  ongoing:
    /^(Still held back: |Usual for this service, |Not reported by the service|[\d,]+ balances? below )/,
} as const;

export async function readMail(content: Buffer): Promise<ReadMail> {
  const { subject, text, attachments } = await PostalMime.parse(content, { attachmentEncoding: 'utf8' });
  const csv = attachments.find(({ mimeType }) => mimeType === 'text/csv')!;
  const parts = text!.split('\n\n').map((part) => part.split('\n'));
  return {
    linesOf: (kind) => {
      if (kind === 'subject') return [subject!];
      const lines = parts
        .filter(([first]) => beginnings[kind].test(first!))
        // Below the heading and the names of the columns.
        .flatMap((part) => (kind === 'earlier' ? part.slice(2) : part));
      // Without the spaces that align a table.
      return lines.map((line) => line.trim().replaceAll(/ +/g, ' '));
    },
    csv: parse(csv.content as string, { columns: true, bom: true }),
  };
}
