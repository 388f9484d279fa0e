import type { Day } from '../../model/day.ts';

/** A command of Callsheet without the program's name, each argument quoted for a shell where it has to be. */
export function commandLine(...words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

/** The same as it is typed in a clone. */
export function npmCommand(...words: readonly string[]): string {
  return `npm start -- ${commandLine(...words)}`;
}

function quoted(word: string): string {
  return /^[\w.@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A few days by themselves, many as a range. */
export function listDays(days: readonly Day[]): string {
  return days.length <= 3 ? days.join(', ') : `${days.length} days from ${days[0]} to ${days.at(-1)}`;
}
