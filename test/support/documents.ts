import { readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

export const readDocument = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The blocks of a document in this language. */
export const blocksOf = (document: string, language: string): string[] =>
  [...document.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter((block) => block[1] === language)
    .map((block) => block[2]!);

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
