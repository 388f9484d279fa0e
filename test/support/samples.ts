import { stripVTControlCharacters } from 'node:util';

/** All lines that a terminal has shown, each state of a progress line included. */
function linesShown(written: string): string[] {
  return stripVTControlCharacters(written.replaceAll('\u001B[2K', '\n')).split(/[\r\n]+/);
}

/**
 * Makes a line of output comparable between machines and days. It replaces numbers, the folder of a link to a file, and
 * the bar of a progress line; it drops the speed, time left and failures of a progress line, and collapses white space.
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

/** The lines of a sample that weren't printed in its order. A line `…` matches any lines, a `…` within a line any text. */
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
      // Only progress lines and empty lines may come between two adjacent lines.
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
