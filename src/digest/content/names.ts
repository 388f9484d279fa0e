import type { Day } from '../../model/day.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const maxLength = 80;

/**
 * A name of the service's as it appears in a sentence: on one line, of limited length, and without the marks that would
 * turn the direction of the text after it. The CSV has it whole.
 */
export function shown(name: string | null, otherwise: string): string {
  const line = (name ?? '')
    // Far more than is shown, and a bound to the work.
    .slice(0, 2_000)
    .replaceAll(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
  if (line === '') return otherwise;
  const letters = Array.from(graphemes.segment(line), ({ segment }) => segment);
  return letters.length > maxLength ? `${letters.slice(0, maxLength - 1).join('')}…` : line;
}

/** `campaigns-2026-11-19`: the name of a digest's files, safe on every file system. */
export function fileName({ name, day }: { readonly name: string; readonly day: Day }): string {
  return `${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-${day}`;
}
