import os from 'node:os';
import type { Options } from './options.ts';

/** What a line of a table says, each in its unit; a table has the columns that its lines have. */
export type Figures = {
  readonly wallMs?: number;
  /** The time of the work alone, without the start of its process. */
  readonly workMs?: number | null;
  readonly cpuMs?: number;
  readonly peakMB?: number;
  readonly queryMs?: number;
  readonly rows?: number;
  readonly bytes?: number;
  /** Bytes of write-ahead log. */
  readonly walBytes?: number;
};

export type Line = { readonly what: string; readonly figures: Figures };

/** A ratio or a bound of the bench. `atMost` null: told beside the others, and no target. */
export type Target = {
  readonly what: string;
  readonly value: number;
  readonly unit: '×' | 'MB' | 'ms';
  readonly atMost: number | null;
};

export type Section = {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly targets: readonly Target[];
  /** Further text on demand: plans of queries. */
  readonly notes?: readonly string[];
};

type Column = { readonly head: string; readonly show: (value: number) => string };

const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
const megabytes = (value: number) => `${(value / 1e6).toFixed(1)} MB`;
const whole = (value: number) => Math.round(value).toLocaleString('en');

const columns: { readonly [Name in keyof Required<Figures>]: Column } = {
  wallMs: { head: 'wall', show: seconds },
  workMs: { head: 'work alone', show: seconds },
  cpuMs: { head: 'CPU', show: seconds },
  peakMB: { head: 'peak', show: (value) => `${whole(value)} MB` },
  queryMs: { head: 'time', show: (value) => `${value.toFixed(1)} ms` },
  rows: { head: 'rows', show: whole },
  bytes: { head: 'size', show: megabytes },
  walBytes: { head: 'WAL', show: megabytes },
};

/** A section in Markdown that is readable as it is. */
export function markdown({ title, lines, targets, notes = [] }: Section): string {
  const names = (Object.keys(columns) as (keyof Figures)[]).filter((name) =>
    lines.some(({ figures }) => typeof figures[name] === 'number'),
  );
  const rows = lines.map(({ what, figures }) => [
    what,
    ...names.map((name) => (typeof figures[name] === 'number' ? columns[name].show(figures[name]) : '')),
  ]);
  const told = targets.map(({ what, value, unit, atMost }) => [
    what,
    amount(value, unit),
    atMost === null ? '' : `≤ ${amount(atMost, unit)}`,
    atMost === null ? '' : value <= atMost ? 'met' : 'missed',
  ]);
  const tables = [table(['', ...names.map((name) => columns[name].head)], rows)];
  if (told.length > 0) tables.push(table(['', 'is', 'target', ''], told));
  const fenced = notes.map((note) => `\`\`\`\n${note}\n\`\`\``);
  return [`### ${title}`, ...tables, ...fenced].join('\n\n');
}

function amount(value: number, unit: Target['unit']): string {
  return unit === '×' ? `${value.toFixed(2)} ×` : `${Math.round(value)} ${unit}`;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, column) =>
    Math.max(3, head.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(heads), rule, ...rows.map(line)].join('\n');
}

/** When, on what and how it was measured, in a line. */
export function circumstances(server: string, { runs, scale }: Options): string {
  const [processor] = os.cpus();
  const on = `${os.availableParallelism()} × ${processor?.model.trim() ?? os.arch()}`;
  const size = scale === 1 ? '' : `, at ${scale} of the size`;
  const day = Temporal.Now.plainDateISO('UTC');
  return `${day}, ${on}, Node ${process.versions.node}, ${server}; medians of ${runs}${size}.`;
}
