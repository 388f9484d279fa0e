import { stringify } from 'csv-stringify/sync';
import { defuse } from '../digest/render/csv.ts';

export const formats = ['table', 'csv', 'json'] as const;
export type Format = (typeof formats)[number];

export type Row = { readonly [column: string]: unknown };

/** Rows as text in one of the formats; the last column of a table may be of any width. */
export function formatRows(rows: readonly Row[], columns: readonly string[], format: Format): string {
  if (format === 'json') return JSON.stringify(rows, null, 2);
  if (format === 'csv') return toCsv(rows, columns);
  return toTable(rows, columns);
}

function toCsv(rows: readonly Row[], columns: readonly string[]): string {
  return stringify(
    rows.map((row) => columns.map((column) => flat(row[column]))),
    {
      header: true,
      columns: [...columns],
      quoted_string: true,
      escape_formulas: true,
      cast: { string: defuse },
    },
  ).trimEnd();
}

function toTable(rows: readonly Row[], columns: readonly string[]): string {
  const lines = [
    columns.map(String),
    ...rows.map((row) => columns.map((column) => printable(flat(row[column])))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  const numeric = columns.map((column) =>
    rows.every((row) => typeof row[column] === 'number' || row[column] === null),
  );
  return lines
    .map((line) =>
      line
        .map((text, index) => (numeric[index] ? text.padStart(widths[index]!) : text.padEnd(widths[index]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const flat = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

// A name may hold line ends and escape sequences; a terminal must not obey them.
function printable(value: unknown): string {
  return value === null || value === undefined ? '–' : String(value).replaceAll(/\p{Cc}+/gu, ' ');
}
