import type { Environment } from './environment.ts';
import { settingNames as known } from './schema.ts';

/**
 * Warnings of variables that have no effect, but are one or two letters off a setting.
 *
 * @param used variables that the settings name
 */
export function warnOfNames(environment: Environment, used: readonly string[]): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (!environment[name] || used.includes(name)) return [];
    if (known.includes(name) || name.length < 6) return [];
    const meant = known.find((each) => editDistance(name, each) <= (each.length < 8 ? 1 : 2));
    return meant === undefined ? [] : [`${name} is not a setting of Callsheet: did you mean ${meant}?`];
  });
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other. */
export function editDistance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row++) {
    const line = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      let distance = Math.min(
        rows[row - 1]![column]! + 1,
        line[column - 1]! + 1,
        rows[row - 1]![column - 1]! + (same ? 0 : 1),
      );
      const swapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (swapped && column > 1) distance = Math.min(distance, rows[row - 2]![column - 2]! + 1);
      line.push(distance);
    }
    rows.push(line);
  }
  return rows[one.length]![other.length]!;
}
