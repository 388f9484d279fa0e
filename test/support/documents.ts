import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

export const readDocument = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The documents with commands, README first. */
export const documentsWithCommands: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  ...globSync('docs/*.md', { cwd: root }).sort(),
];

export type Block = {
  readonly line: number;
  /** The language of the opening fence; empty for output. */
  readonly language: string;
  readonly text: string;
  /** The output in the next block; null if none follows directly. */
  readonly sample: string | null;
};

export function blocksOf(document: string): Block[] {
  const fenced = [...document.matchAll(/^```(\w*)\n([\s\S]*?)^```$\n?/gm)].map(
    ({ 0: whole, 1: language, 2: text, index }) => ({
      line: document.slice(0, index).split('\n').length,
      language: language!,
      text: text!,
      begins: index,
      ends: index + whole.length,
    }),
  );
  return fenced.map(({ line, language, text, ends }, index) => {
    const next = fenced[index + 1];
    const follows = next?.language === '' && document.slice(ends, next.begins).trim() === '';
    return { line, language, text, sample: language === 'sh' && follows ? next.text : null };
  });
}

export const proseOf = (document: string): string => document.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchors that GitHub makes for a document's headings. */
export function anchorsOf(document: string): string[] {
  const seen = new Map<string, number>();
  return [...proseOf(document).matchAll(/^#+ +(.+)$/gm)].map(([, heading]) => {
    const anchor = heading!
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
}
