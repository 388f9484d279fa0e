import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const file = path.join(import.meta.dirname, 'README.md');

/** Puts the tables of a part between its two marks in the README. */
export async function writeTables(part: string, tables: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  const [begin, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const [before, rest] = split(text, begin);
  const [, after] = split(rest, end);
  await writeFile(file, `${before}${begin}\n${tables}\n${end}${after}`);
}

function split(text: string, mark: string): [string, string] {
  const place = text.indexOf(mark);
  if (place < 0) throw new Error(`bench/README.md has no ${mark}`);
  return [text.slice(0, place), text.slice(place + mark.length)];
}
