import type { Block, Mail, Table, Tile } from '../blocks.ts';

/** A mail as text: what it is, its title and the sentence below that, and the blocks. */
export function mailText({ locale, name, title, blocks }: Mail): string {
  const [first, ...rest] = blocks;
  const hasLead = first?.kind === 'line' && first.tone === 'lead';
  const head = [name, title, ...(hasLead ? [first.text] : [])].join('\n');
  return `${head}\n\n${blocksText(hasLead ? rest : blocks, locale)}`;
}

/** Blocks as text, with a blank line between them. */
export const blocksText = (blocks: readonly Block[], locale: string): string =>
  `${blocks.map((block) => drawText(block, locale)).join('\n\n')}\n`;

const drawText = <Kind extends Block['kind']>(block: Extract<Block, { kind: Kind }>, locale: string) =>
  (texts[block.kind as Kind] as (block: Extract<Block, { kind: Kind }>, locale: string) => string)(
    block,
    locale,
  );

const texts: {
  readonly [Kind in Block['kind']]: (block: Extract<Block, { kind: Kind }>, locale: string) => string;
} = {
  heading: ({ text }, locale) => text.toLocaleUpperCase(locale),
  line: ({ text }) => text,
  note: titled,
  item: titled,
  tiles: ({ tiles }) => tiles.map(tileLine).join('\n'),
  chart: ({ table }, locale) => tableLines(table, locale).join('\n'),
  table: ({ table }, locale) => tableLines(table, locale).join('\n'),
  button: ({ text, address }) => `${text}: ${address}`,
  problem: ({ title, explanation, names, steps }) =>
    [
      title,
      ...[explanation, ...names].map((line) => `  ${line}`),
      ...steps.map(({ text, command }, index) => {
        const number = steps.length === 1 ? '' : `${index + 1}. `;
        return command === null ? `  ${number}${text}.` : `  ${number}${text}:  ${command}`;
      }),
    ].join('\n'),
  closing: ({ lines }) =>
    lines.map(({ text, address }) => (address === undefined ? text : `${text} ${address}`)).join('\n\n'),
};

function titled({ title, lines }: { readonly title: string; readonly lines: readonly string[] }): string {
  return [title, ...lines.map((line) => `- ${line}`)].join('\n');
}

function tileLine({ title, figure, note, change }: Tile): string {
  const listed = [note, change].filter((part) => part !== null);
  return `${title}: ${figure}${listed.length === 0 ? '' : ` (${listed.join(', ')})`}`;
}

/** Aligns the numbers in columns and puts the row's title after them: it may be of any width. */
function tableLines({ heading, columns, rows }: Table, locale: string): string[] {
  const [about, ...heads] = columns;
  const lines = [{ title: about, under: null, cells: heads }, ...rows];
  const widths = heads.map((_, column) =>
    lines.reduce((widest, { cells }) => Math.max(widest, cells[column]!.length), 0),
  );
  return [
    heading.toLocaleUpperCase(locale),
    ...lines.map(({ title, under, cells }) => {
      const numbers = cells.map((cell, column) => cell.padStart(widths[column]!)).join('  ');
      return `${numbers}  ${title}${under === null ? '' : ` (${under})`}`;
    }),
  ];
}
