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
// Hundredths of a percent: more says nothing, and makes a column hard to read.
const fourPlaces = (rate: number | null) => (rate === null ? null : Math.round(rate * 10_000) / 10_000);

const names = columns.map(([name]) => name);

/** Rows to a piece of the stream: each row by itself would cost more than its text. */
const atOnce = 500;

/**
 * The rows of a digest as CSV for spreadsheets: UTF-8 with BOM, CRLF, texts quoted, formulas defused, separator and
 * decimal sign as its readers' spreadsheets expect them. A stream: of however many rows, few are in memory.
 * An empty cell is a count that the service didn't report, or a rate with nothing to divide by.
 */
export function digestCsv(rows: Iterable<DigestRow> | AsyncIterable<DigestRow>, style: CsvContent): Readable {
  return Readable.from(pieces(rows, style), { objectMode: false });
}

/** Further fields of the summary that get a column, under their own names, and how cells are written. */
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

/** Lines of quoted texts and of numbers in the style's decimals. */
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
 * Puts an apostrophe before each character that would begin a formula: at the start of the cell, and where a spreadsheet
 * with another separator would begin a cell, whatever quotes are around it; behind what can't be seen, too.
 * Looks back from such characters, which takes linear time: runs between them don't overlap.
 */
export function defuse(cell: string): string {
  return cell.replaceAll(/(?<=(?:^|[;,\t\r\n])[\s\p{C}"]*)[=+\-@＝＋－＠]/gu, "'$&");
}

function asCell(value: Json = null): Cell {
  if (value === null) return null;
  return typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value);
}
