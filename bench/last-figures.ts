import { readFile, writeFile } from 'node:fs/promises';
import { figuresOf, type Growth, type Section } from './tables.ts';

/** The head of the table of README.md. */
const head = '| part | what | is | goal | measured |';

/**
 * Replaces the rows of the measured parts in the table. The others keep theirs, with their own machine and day.
 *
 * @param parts all parts, in the order of the table
 */
export async function writeFigures(
  file: string,
  parts: readonly string[],
  measured: Readonly<Record<string, readonly (Section | Growth)[]>>,
  under: string,
): Promise<void> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const first = lines.indexOf(head) + 2;
  const count = lines.slice(first).findIndex((line) => !line.startsWith('|'));
  const known = Map.groupBy(lines.slice(first, first + count), (row) => row.split(' | ')[0]!.slice(2));
  const rows = parts.flatMap(
    (part) =>
      measured[part]?.flatMap(figuresOf).map((cells) => `| ${[part, ...cells, under].join(' | ')} |`) ??
      known.get(part) ??
      [],
  );
  await writeFile(file, lines.toSpliced(first, count, ...rows).join('\n'));
}
