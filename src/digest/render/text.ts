import { changeText, type DigestContent, type Item, type Table, type Tile } from '../content/content.ts';

export function digestText(content: DigestContent): string {
  const blocks = [
    [content.name, content.date, ...(content.headline === null ? [] : [content.headline])],
    content.pointer === null ? [] : [content.pointer],
    ...content.notes.map(itemLines),
    content.tiles.flatMap(tileLines),
    content.compared === null ? [] : [content.compared],
    content.link === null ? [] : [`${content.link.text}: ${content.link.address}`],
    ...[content.lastDays, ...content.tables].map(tableLines),
    content.attention.length > 0 ? [content.attentionHeading.toLocaleUpperCase(content.locale)] : [],
    ...content.attention.map(itemLines),
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

function tileLines({ title, figure, note, changes }: Tile): string[] {
  const listed = [...(note === null ? [] : [note]), ...changes.map(changeText)];
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
