import { Option } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { defuse } from '../digest/render/csv.ts';
import type { Extra } from '../model/records.ts';
import { formatCountOf } from '../support/english.ts';

const formats = ['table', 'csv', 'json'] as const;
export type Format = (typeof formats)[number];

export const formatOption = () =>
  new Option('--format <F>', 'how to print').choices([...formats]).default('table');

/** A column for the fields that the document doesn't show, if there are any. */
export const extraColumn = ({ extra }: { readonly extra: Extra }) =>
  Object.keys(extra).length > 0 ? { extra } : {};

export const leftOut = (count: number) => `${formatCountOf(count, 'record')} can't be read, left out`;

export const quoted = (remark: string) => `the service says "${remark}"`;

export type Row = { readonly [column: string]: unknown };

/** Cells are padded to this width at most: one long name must not make every row as long. */
const maxWidth = 80;

/**
 * Formats rows as text. The last column of a table isn't padded: it may be of any width. A pipe gets values as they are; a
 * terminal gets control characters escaped, as `\u009b`.
 */
export function formatRows(
  rows: readonly Row[],
  columns: readonly string[],
  format: Format,
  isTerminal: boolean,
): string {
  if (format === 'table') return formatTable(rows, columns);
  const text = format === 'json' ? JSON.stringify(rows, null, 2) : formatCsv(rows, columns);
  return isTerminal ? text.replaceAll(terminalControls, escaped) : text;
}

/** Control characters but line ends, and those that turn the direction of writing. */
const terminalControls = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

function formatCsv(rows: readonly Row[], columns: readonly string[]): string {
  return stringify(
    rows.map((row) => columns.map((column) => flat(row[column]))),
    {
      header: true,
      columns: [...columns],
      quoted_string: true,
      cast: { string: defuse },
    },
  ).trimEnd();
}

/** Formats rows below the names of their columns. Numbers are aligned to the right. */
export function formatTable(
  rows: readonly Row[],
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
): string {
  const formatted = columns.map((column) => formatColumn(column, rows));
  const line = (index: number) =>
    formatted
      .map((cells) => cells[index])
      .join('  ')
      .trimEnd();
  return [line(0), ...rows.map((_, index) => line(index + 1))].join('\n');
}

/** The name of a column and its cells, padded to the same width. */
function formatColumn(column: string, rows: readonly Row[]): string[] {
  const cells = [column, ...rows.map((row) => printable(flat(row[column])))];
  const longest = cells.reduce((widest, { length }) => Math.max(widest, length), 0);
  const width = Math.min(longest, maxWidth);
  const numeric = rows.every((row) => typeof row[column] === 'number' || row[column] === null);
  return cells.map((cell) => (numeric ? cell.padStart(width) : cell.padEnd(width)));
}

const flat = (value: unknown) =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

/** Replaces control characters: the terminal must not obey line ends, escape sequences or a direction in a name. */
export function printable(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return String(value)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .replaceAll(terminalControls, escaped);
}
