import { stringify } from 'csv-stringify/sync';
import type { CsvAttachment, CsvColumns, CsvStyle, DigestRow } from '../../model/digest.ts';
import type { CountName, Json } from '../../model/records.ts';
import { rate, unescapedName } from '../format.ts';

type Cell = string | number | null;

type Column = {
  readonly name: string;
  readonly cell: (row: DigestRow) => Cell;
  /** The counts that the column is made of; it is left out if none is reported. */
  readonly of?: readonly CountName[];
};

const columns: readonly Column[] = [
  { name: 'account', cell: (row) => row.account },
  { name: 'account_label', cell: (row) => row.label },
  { name: 'day', cell: (row) => row.day },
  { name: 'callset_id', cell: (row) => row.callsetId },
  { name: 'campaign', cell: (row) => (row.campaign === null ? null : unescapedName(row.campaign)) },
  { name: 'attempts', cell: (row) => row.attempts, of: ['attempts'] },
  { name: 'busies', cell: (row) => row.busies, of: ['busies'] },
  { name: 'connects', cell: (row) => row.connects, of: ['connects'] },
  { name: 'live_answers', cell: (row) => row.liveAnswers, of: ['liveAnswers'] },
  {
    name: 'connect_rate',
    cell: (row) => rounded(rate(row.connects, row.attempts)),
    of: ['attempts', 'connects'],
  },
  {
    name: 'live_answer_rate',
    cell: (row) => rounded(rate(row.liveAnswers, row.attempts)),
    of: ['attempts', 'liveAnswers'],
  },
  { name: 'status', cell: (row) => row.status },
];

/** Four places: more digits make a column hard to read. */
const rounded = (value: number | null) => (value === null ? null : Math.round(value * 10_000) / 10_000);

const names = columns.map(({ name }) => name);

/**
 * Yields the CSV of a digest page by page, for spreadsheets: UTF-8 with BOM, CRLF, quoted texts, formulas defused. A cell
 * is empty if the service didn't report the count, or if there is nothing to divide by; a column that would be empty
 * throughout is left out.
 */
export async function* digestCsv(
  pages: AsyncIterable<readonly DigestRow[]>,
  reported: CsvColumns,
  style: CsvStyle,
): AsyncGenerator<Buffer> {
  const { extraFields } = reported;
  const shown = columns.filter(({ of = [] }) => of.every((each) => reported[each]));
  const extraNames = extraFields.map(({ field }) => (names.includes(field) ? `extra_${field}` : field));
  yield Buffer.from(`\ufeff${csvLines([[...shown.map(({ name }) => name), ...extraNames]], style)}`);
  for await (const rows of pages) {
    const cells = rows.map((row) => [
      ...shown.map(({ cell }) => cell(row)),
      ...extraFields.map(({ field, isNumeric }) => asCell(row.extra[field], isNumeric)),
    ]);
    yield Buffer.from(csvLines(cells, style));
  }
}

/** Takes pages of a CSV while they fit; the last line then says where the rest is. */
export async function takeCsv(
  pages: AsyncIterable<Buffer>,
  maxBytes: number,
  lastLine: string,
  style: CsvStyle,
): Promise<CsvAttachment> {
  const taken: Buffer[] = [];
  let size = 0;
  const last = Buffer.from(csvLines([[lastLine]], style));
  for await (const page of pages) {
    if (size + page.length + last.length > maxBytes)
      return { content: Buffer.concat([...taken, last]), isWhole: false };
    taken.push(page);
    size += page.length;
  }
  return { content: Buffer.concat(taken), isWhole: true };
}

function csvLines(cells: readonly Cell[][], { separator, decimal }: CsvStyle): string {
  return stringify([...cells], {
    delimiter: separator,
    record_delimiter: 'windows',
    quoted_string: true,
    cast: {
      string: defuse,
      number: (value) => String(value).replace('.', decimal),
    },
  });
}

/**
 * Puts an apostrophe before each character that would start a formula: at the start of the cell, and after any separator,
 * because a spreadsheet with that separator starts a cell there. Quotes and invisible characters before it don't count.
 * It takes linear time.
 */
export function defuse(cell: string): string {
  return cell.replaceAll(/(?<=(?:^|[;,\t\r\n])[\s\p{C}"]*)[=+\-@＝＋－＠]/gu, "'$&");
}

/** A column is of numbers throughout, or of texts: a spreadsheet imports it as the one or the other. */
function asCell(value: Json = null, isNumeric: boolean): Cell {
  if (value === null) return null;
  if (isNumeric) return Number(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
