/** The beginning of a typed command where this process runs: in a clone, unless its launcher says otherwise. */
let launcher = 'npm start --';

/** Sets it, unless it is empty or missing. */
export function useLauncher(command: string | undefined): void {
  launcher = command || launcher;
}

/** A command of Callsheet as it is typed here, each argument quoted for a shell: `npm start -- accept --day 2026-11-20`. */
export const asTyped = (...words: readonly string[]): string =>
  `${launcher} ${commandLine(...words)}`.trimEnd();

/** A command without the program's name, each argument quoted for a shell. */
export const commandLine = (...words: readonly string[]): string => words.map(quoted).join(' ');

function quoted(word: string): string {
  return /^[\w.@+/:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
