import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { CsvStyle, DigestDefinition, DigestRow } from '../../model/digest.ts';
import type { Json } from '../../model/records.ts';
import { rate } from '../format.ts';

type Cell = string | number | null;

const columns: readonly (readonly [string, (row: DigestRow) => Cell])[] = [
  ['account', (row) => row.account],
  ['account_label', (row) => row.label],
  ['client_id', (row) => row.clientId],
  ['day', (row) => row.day],
  ['callset_id', (row) => row.callsetId],
  ['campaign', (row) => row.campaign],
  ['attempts', (row) => row.attempts],
  ['busies', (row) => row.busies],
  ['connects', (row) => row.connects],
  ['live_answers', (row) => row.liveAnswers],
  ['connect_rate', (row) => fourPlaces(rate(row.connects, row.attempts))],
  ['live_answer_rate', (row) => fourPlaces(rate(row.liveAnswers, row.attempts))],
  ['status', (row) => row.status],
];
// More digits make a column hard to read.
const fourPlaces = (rate: number | null) => (rate === null ? null : Math.round(rate * 10_000) / 10_000);

const names = columns.map(([name]) => name);

/** Rows per chunk: single rows would be slow. */
const atOnce = 500;

/**
 * Streams the rows of a digest as CSV for spreadsheets: UTF-8 with BOM, CRLF, quoted texts, formulas defused. The style
 * sets the separator and the decimal sign. A cell is empty if the service didn't report the count, or if a rate has no
 * attempts.
 */
export function digestCsv(rows: Iterable<DigestRow> | AsyncIterable<DigestRow>, style: CsvContent): Readable {
  return Readable.from(pieces(rows, style), { objectMode: false });
}

/** Extra fields of the summary, each a column under its own name, and the style of the cells. */
export type CsvContent = Pick<DigestDefinition, 'extraFields' | 'csv'>;

async function* pieces(
  rows: Iterable<DigestRow> | AsyncIterable<DigestRow>,
  { extraFields, csv }: CsvContent,
): AsyncGenerator<string> {
  const header = [
    ...names,
    ...extraFields.map((field) => (names.includes(field) ? `extra_${field}` : field)),
  ];
  yield `\ufeff${csvLines([header], csv)}`;
  let batch: Cell[][] = [];
  for await (const row of rows) {
    batch.push([
      ...columns.map(([, cell]) => cell(row)),
      ...extraFields.map((field) => asCell(row.extra[field])),
    ]);
    if (batch.length < atOnce) continue;
    yield csvLines(batch, csv);
    batch = [];
  }
  yield csvLines(batch, csv);
}

export function csvLines(cells: readonly Cell[][], { separator, decimal }: CsvStyle): string {
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

function asCell(value: Json = null): Cell {
  if (value === null) return null;
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
