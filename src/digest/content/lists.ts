import type { Format } from '../format.ts';

/** Shortens a list; what is left out is counted. */
export function shortened(lines: readonly string[], max: number, format: Format): readonly string[] {
  return lines.length <= max + 1 ? lines : withMore(lines.slice(0, max), lines.length, format);
}

/** A list that begins with these; the others are counted. */
export function withMore(shown: readonly string[], count: number, format: Format): readonly string[] {
  const rest = count - shown.length;
  return rest > 0 ? [...shown, format.words.more(format.count(rest))] : shown;
}
