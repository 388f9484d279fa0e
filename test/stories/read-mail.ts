import { parse } from 'csv-parse/sync';
import PostalMime from 'postal-mime';

/** A part of a mail, and its lines without the spaces that align them. */
export type Part = { readonly kind: string; readonly lines: readonly string[] };

export type ReadMail = {
  readonly parts: readonly Part[];
  readonly html: string;
  readonly csv: readonly Readonly<Record<string, string>>[];
};

/** The sentence on what changed most. */
const leads =
  /^(Without [^:]*, )?((overall, )?(a normal|a month like)|\d+% (more|fewer) attempts|[\d,]+ attempts instead|connect rate [\d.]+ points)/i;

/** How a part begins. A table's heading and names of columns say nothing about the figures. */
const kinds: readonly (readonly [kind: string, beginning: RegExp, headLines: number])[] = [
  ['corrected', /^Corrected: /, 0],
  ['incomplete', /^Incomplete(:|, )/, 0],
  ['provisional', /^Provisional, /, 0],
  ['lead', leads, 0],
  ['pointer', /^Needs attention: /, 0],
  ['tiles', /^Connect rate/, 0],
  ['compared', /^(Not compared|Without )/, 0],
  ['chart', /^(THE LAST \d+ DAYS|THE WEEK AND THE ONE BEFORE|DAY BY DAY)$/, 2],
  ['best and worst', /^Highest connect rate: /, 0],
  ['earlier', /^EARLIER PERIODS AND CORRECTIONS$/, 2],
  ['to date', /^TO DATE$/, 2],
  ['movers', /^WHAT MOVED$/, 1],
  ['accounts', /^(ACCOUNTS( THAT MOVED MOST)?|LARGEST ACCOUNTS)$/, 1],
  ['campaigns', /^(TOP TEN )?CAMPAIGNS$/, 2],
  ['extreme rates', /^HIGHEST AND LOWEST CONNECT RATES$/, 2],
  ['attention heading', /^NEEDS ATTENTION$/, 1],
  ['attention', /^(Held back|New account$|Account gone$|Clients no longer|New clients|\d+ more$)/, 0],
  [
    'ongoing',
    /^(Still held back: |Usual for this service, |Not reported by the service|[\d,]+ balances? below )/,
    0,
  ],
  ['complete', /^(Complete through|Not complete yet)/, 0],
  ['closing', /^(Every campaign of|The attached CSV|Connected, live and busy are|This is the digest “)/, 99],
];

export async function readMail(content: Buffer): Promise<ReadMail> {
  const { subject, text, html, attachments } = await PostalMime.parse(content, {
    attachmentEncoding: 'utf8',
  });
  const csv = attachments.find(({ mimeType }) => mimeType === 'text/csv')!;
  const [first, ...blocks] = text!.trim().split('\n\n');
  const read = blocks.map((block): Part => {
    const lines = block.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '));
    const [kind, , head] = kinds.find(([, beginning]) => beginning.test(block.split('\n', 1)[0]!)) ?? [
      'unknown',
      /./,
      0,
    ];
    return {
      kind,
      lines: lines
        .slice(head)
        .filter((line) => !isColumns(line))
        .map(withoutClock),
    };
  });
  const parts = [{ kind: 'subject', lines: [subject!] }, ...headlines(first!.split('\n')), ...read].map(
    withoutCauses,
  );
  return {
    parts: [...Map.groupBy(parts, ({ kind }) => kind)]
      .map(([kind, own]) => ({ kind, lines: own.flatMap(({ lines }) => lines) }))
      .filter(({ lines }) => lines.length > 0),
    html: html!,
    csv: parse(csv.content as string, { columns: true, bom: true }),
  };
}

/** The name and the title, and the sentence below them. */
function headlines(lines: readonly string[]): Part[] {
  const isLead = (line: string) => leads.test(line);
  return [
    { kind: 'headline', lines: lines.filter((line) => !isLead(line)) },
    { kind: 'lead', lines: lines.filter(isLead) },
  ];
}

/** Why something moved is what test/stories/manager.slow.test.ts reads. */
function withoutCauses({ kind, lines }: Part): Part {
  if (kind === 'lead')
    return {
      kind,
      lines: lines.map((line) =>
        line
          .replace(/in all a/i, (found) => (found[0] === 'I' ? 'A' : 'a'))
          .replace(
            /(, mostly |\. What moved: |: (more|fewer) in |: [\d,]+ of [\d,]+ campaigns? (raised|lowered)| The connect rate | Attempts (rose|fell|went|are normal)).*$/,
            '',
          )
          .replace(/\.$/, ''),
      ),
    };
  if (kind !== 'movers') return { kind, lines };
  const why = /(, |\()(since|none since) \d+ \w+|(, |\()[\d.]+%( → [\d.]+%)?(?=\)$)/g;
  return {
    kind,
    lines: lines.map((line) =>
      line
        .replace(why, (found) => (found.startsWith('(') ? '(' : ''))
        .replace(/ \((, )?\)$/, '')
        .replace(/\(, /, '('),
    ),
  };
}

/** The names of the columns, below a line that a table may begin with. */
const isColumns = (line: string) => /^(Attempts|Typical|Before) .*(Campaign|Account)$/.test(line);

/** Without the instants of the machine: a story has another clock than its database. */
const withoutClock = (line: string) =>
  line.replace(/: on .*, the service sent very different figures\. .*$/, '').replace(/ Updated .*$/, '');

/** A day or figure that isn't known, numbers with their signs, and what a line says of its figures. */
const marks =
  /(?<=^| )–(?= |$)|[+−]?\d+(?:,\d{3})*(?:\.\d+)?|not loaded|[Ii]ncomplete|[Pp]rovisional|[Cc]orrected|fewer|lower/;

/** The figures of a mail without its words: of each line the numbers and marks, and those of these names that stand in it. */
export function figuresIn(parts: readonly Part[], names: readonly string[]): Part[] {
  const longestFirst = [...new Set(names)].sort((one, other) => other.length - one.length);
  const named = longestFirst.map((name) => `(?<![\\p{L}\\d])${RegExp.escape(name)}(?![\\p{L}\\d])`);
  const cells = new RegExp([...named, marks.source].join('|'), 'gu');
  const figureOf = (cell: string) =>
    names.includes(cell) ? cell : cell.replaceAll(',', '').replace('−', '-').toLowerCase();
  return parts.map(({ kind, lines }) => ({
    kind,
    lines: lines.map((line) => (line.match(cells) ?? []).map(figureOf).join(' ')),
  }));
}
