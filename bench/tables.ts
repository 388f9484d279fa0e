import os from 'node:os';
import { formatCount } from '../src/support/english.ts';

const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const whole = (value: number) => formatCount(Math.round(value));

/** The columns of the tables. A table shows those that its lines have. */
const columns = {
  wallMs: { head: 'wall', show: seconds },
  /** Time without the start of the process. */
  workMs: { head: 'work alone', show: seconds },
  /** Time of a step of a run. */
  clientsMs: { head: 'clients', show: seconds },
  windowsMs: { head: 'windows', show: seconds },
  digestsMs: { head: 'digests', show: seconds },
  cpuMs: { head: 'CPU', show: seconds },
  peakMB: { head: 'peak', show: (value: number) => `${whole(value)} MB` },
  queryMs: { head: 'time', show: (value: number) => `${value.toFixed(1)} ms` },
  loadMs: { head: 'CPU', show: (value: number) => `${value.toFixed(1)} ms` },
  wholeMs: { head: 'all of it', show: (value: number) => `${value.toFixed(1)} ms` },
  weekMs: { head: 'a week', show: (value: number) => `${value.toFixed(1)} ms` },
  accountMs: { head: 'a week of an account', show: (value: number) => `${value.toFixed(1)} ms` },
  memoryMB: { head: 'memory', show: (value: number) => `${value.toFixed(1)} MB` },
  rows: { head: 'rows', show: whole },
  rowsRead: { head: 'rows read', show: whole },
  bytes: { head: 'size', show: megabytes },
  walBytes: { head: 'WAL', show: megabytes },
  windowsPerSecond: { head: 'windows a second', show: whole },
};
type Measure = keyof typeof columns;
const measures = Object.keys(columns) as Measure[];

export type Figures = { readonly [Name in Measure]?: number };
export type Line = { readonly what: string; readonly figures: Figures };

/** A value and its target; without `atMost`, it has none. */
export type Target = {
  readonly what: string;
  readonly value: number;
  readonly unit: '×' | 'MB' | 'ms';
  readonly atMost?: number | undefined;
};
export type Section = {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly targets: readonly Target[];
};

const units = {
  s: seconds,
  ms: (ms: number) => `${whole(ms)} ms`,
  MB: (bytes: number) => `${whole(bytes / 1e6)} MB`,
  kB: (bytes: number) => `${whole(bytes / 1e3)} kB`,
  number: whole,
};

/** Figures of the same work at several sizes. Times are in milliseconds, the others in bytes. */
export type Growth = {
  readonly title: string;
  /** The word for what there is more of. */
  readonly of: string;
  /** Numbers, or names of sizes that no ratio compares. */
  readonly sizes: readonly number[] | readonly string[];
  readonly lines: readonly {
    readonly what: string;
    readonly unit: keyof typeof units;
    /** One for each size. */
    readonly values: readonly number[];
  }[];
};

export function medians(measured: readonly Figures[]): Figures {
  const known = measures.filter((name) => measured[0]![name] !== undefined);
  return Object.fromEntries(known.map((name) => [name, median(measured.map((each) => each[name]!))]));
}

/** The median; of an even number, the greater of the middle two. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1]!;
}

export function ratio(what: string, one: number, other: number, atMost?: number): Target {
  return { what, value: one / other, unit: '×', atMost };
}

export function markdown(section: Section | Growth): string {
  return 'sizes' in section ? growthMarkdown(section) : sectionMarkdown(section);
}

/** The last column is the growth from the first size to the last, and that of the sizes in its head. */
function growthMarkdown({ title, of, sizes, lines }: Growth): string {
  if (areNames(sizes)) {
    const rows = lines.map(({ what, unit, values }) => [what, ...values.map(units[unit])]);
    return `### ${title}\n\n${table([of, ...sizes], rows)}`;
  }
  const growth = (values: readonly number[]) => {
    const times = values.at(-1)! / values[0]!;
    return Number.isFinite(times) ? `${times.toFixed(times < 10 ? 1 : 0)} ×` : '';
  };
  const rows = lines.map(({ what, unit, values }) => [what, ...values.map(units[unit]), growth(values)]);
  return `### ${title}\n\n${table([of, ...sizes.map(whole), growth(sizes)], rows)}`;
}

function sectionMarkdown({ title, lines, targets }: Section): string {
  const shown = measures.filter((name) => lines.some(({ figures }) => figures[name] !== undefined));
  const cells = (figures: Figures) =>
    shown.map((name) => (figures[name] === undefined ? '' : columns[name].show(figures[name])));
  const heads = ['', ...shown.map((name) => columns[name].head)];
  const measured = table(
    heads,
    lines.map(({ what, figures }) => [what, ...cells(figures)]),
  );
  if (targets.length === 0) return `### ${title}\n\n${measured}`;
  return `### ${title}\n\n${measured}\n\n${table(['', 'is', 'target', ''], targets.map(targetCells))}`;
}

/** The figures of a part that the table of README.md has: what it is, what was measured, and the goal. */
export function figuresOf(section: Section | Growth): string[][] {
  if ('targets' in section)
    return section.targets.map((target) => {
      const [what, is, goal, verdict] = targetCells(target);
      return [`${section.title}: ${what}`, is!, verdict === 'missed' ? `${goal}: missed` : goal!];
    });
  const { title, of, sizes, lines } = section;
  const between = (values: readonly number[], show: (value: number) => string) =>
    `${show(values[0]!)} to ${show(values.at(-1)!)}`;
  if (areNames(sizes))
    return lines.map(({ what, unit, values }) => [
      `${title}, ${sizes.join(', ')} ${of}: ${what}`,
      values.map(units[unit]).join(', '),
      '',
    ]);
  return lines.map(({ what, unit, values }) => [
    `${title}: ${what}, ${between(sizes, whole)} ${of}`,
    between(values, units[unit]),
    '',
  ]);
}

const areNames = (sizes: Growth['sizes']): sizes is readonly string[] => typeof sizes[0] === 'string';

function targetCells({ what, value, unit, atMost }: Target): string[] {
  const amount = (number: number) => (unit === '×' ? `${number.toFixed(2)} ×` : `${whole(number)} ${unit}`);
  if (atMost === undefined) return [what, amount(value), '', ''];
  return [what, amount(value), `≤ ${amount(atMost)}`, value <= atMost ? 'met' : 'missed'];
}

/** Renders a table as Markdown. The first column is left-aligned, the others are right-aligned. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((_, column) =>
    Math.max(3, ...[heads, ...rows].map((cells) => cells[column]!.length)),
  );
  const rule = widths.map((width, column) => (column === 0 ? '' : ':').padStart(width, '-'));
  const padded = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!);
  return [heads, rule, ...rows].map((cells) => `| ${cells.map(padded).join(' | ')} |`).join('\n');
}

export function circumstances(server: string, { runs, scale }: { runs: number; scale: number }): string {
  const processors = `${os.availableParallelism()} × ${os.cpus()[0]?.model.trim() ?? os.arch()}`;
  const size = scale === 1 ? '' : `, at ${scale} of the size`;
  const day = Temporal.Now.plainDateISO('UTC');
  return `${day}, ${processors}, Node ${process.versions.node}, ${server}; medians of ${runs}${size}.`;
}
