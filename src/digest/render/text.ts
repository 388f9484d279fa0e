import {
  changeText,
  type DigestContent,
  hasAttention,
  type Item,
  type Table,
  type Tile,
} from '../content/content.ts';

export function digestText(content: DigestContent): string {
  const { attention } = content;
  const blocks = [
    [content.name, content.date, ...(content.headline === null ? [] : [content.headline])],
    ...content.notes.map(itemLines),
    content.pointer === null ? [] : [content.pointer],
    content.tiles.flatMap(tileLines),
    content.compared === null ? [] : [content.compared],
    content.link === null ? [] : [`${content.link.text}: ${content.link.address}`],
    ...[content.lastDays, ...content.tables].map(tableLines),
    hasAttention(attention) ? [attention.heading.toLocaleUpperCase(content.locale)] : [],
    ...attention.items.map(itemLines),
    attention.ongoing,
    ...content.campaigns.map(tableLines),
    ...content.closing.map((line) => [line]),
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function itemLines({ title, lines }: Item): string[] {
  return [title, ...lines.map((line) => `- ${line}`)];
}

function tileLines({ title, figure, note, change }: Tile): string[] {
  const listed = [note, change && changeText(change)].filter((part) => part !== null);
  return [`${title}: ${figure}${listed.length === 0 ? '' : ` (${listed.join(', ')})`}`];
}

/** Aligns the numbers in columns and puts the row's title after them: it may be of any width. */
function tableLines(table: Table | null): string[] {
  if (table === null) return [];
  const [about, ...heads] = table.columns;
  const rows = table.rows.map(({ cells, changes = [], ...row }) => ({
    ...row,
    cells: cells.map((cell, column) => (changes[column] ? `${cell} (${changes[column]})` : cell)),
  }));
  const lines = [{ title: about, under: null, cells: heads }, ...rows];
  const widths = heads.map((_, column) =>
    lines.reduce((widest, { cells }) => Math.max(widest, cells[column]!.length), 0),
  );
  return [
    table.heading.toUpperCase(),
    ...(table.note === null ? [] : [table.note]),
    ...lines.map(({ title, under, cells }) => {
      const numbers = cells.map((cell, column) => cell.padStart(widths[column]!)).join('  ');
      return `${numbers}  ${title}${under === null ? '' : ` (${under})`}`;
    }),
  ];
}
