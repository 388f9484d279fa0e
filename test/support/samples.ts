import { stripVTControlCharacters } from 'node:util';

/** What was on a terminal at some time, line by line: a progress line is drawn again and again. */
export function linesShown(written: string): string[] {
  return stripVTControlCharacters(written.replaceAll('\u001B[2K', '\n')).split(/[\r\n]+/);
}

/**
 * A line of output as two of them are compared. What differs from machine to machine and from day to day is one word each:
 * numbers, among them ports, days, times and sizes; the folder of a link to a file; the bar of a progress line, whose speed,
 * time left and failures are left out. White space counts as one space.
 */
export function comparable(line: string): string {
  return line
    .replaceAll(/file:\/\/\S*?\/(?=\.callsheet\/)/g, 'file://FOLDER/')
    .replace(/^[━╾─]+/u, 'BAR')
    .replace(/^(BAR.* windows?) · .*$/, '$1')
    .replaceAll(/\d[\d.,:-]*\d|\d/g, 'N')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What of a sample was not printed: its lines in order, a line `…` standing for any lines, a `…` within one for any text. */
export function missingOf(sample: string, written: string): string[] {
  const shown = linesShown(written).map(comparable);
  const parts = sample.split(/^ *…\n/m).map((part) =>
    part
      .split('\n')
      .map(comparable)
      .filter((line) => line !== ''),
  );
  const missing: string[] = [];
  let from = 0;
  for (const part of parts)
    for (const [index, line] of part.entries()) {
      const found = shown.findIndex((each, at) => at >= from && matches(line, each));
      // Only what is drawn again, and empty lines, may be between two lines that follow one another.
      const between = shown.slice(from, found).filter((each) => each !== '' && !each.startsWith('BAR'));
      if (found < 0 || (index > 0 && between.length > 0)) missing.push(line);
      else from = found + 1;
    }
  return missing;
}

function matches(line: string, shown: string): boolean {
  const pattern = line.split('…').map((text) => RegExp.escape(text));
  return new RegExp(`^${pattern.join('.*')}$`, 'u').test(shown);
}
