/** How a command of Callsheet is typed where this process runs. */
let launcher = 'npm start --';

/** Sets it; the image says `callsheet`, by CALLSHEET_COMMAND. */
export function useLauncher(command: string): void {
  launcher = command;
}

/** A command of Callsheet as it is typed here, each argument quoted for a shell: `npm start -- accept --day 2026-11-20`. */
export const asTyped = (...words: readonly string[]): string => `${launcher} ${commandLine(...words)}`;

/** The same without the program's name. */
export const commandLine = (...words: readonly string[]): string => words.map(quoted).join(' ');

function quoted(word: string): string {
  return /^[\w.@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
