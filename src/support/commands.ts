/** A command of Callsheet without the program's name, each argument quoted for a shell where it has to be. */
export const commandLine = (...words: readonly string[]): string => words.map(quoted).join(' ');

/** The same as it is typed in a clone: `npm start -- accept --day 2026-11-20`. */
export const npmCommand = (...words: readonly string[]): string => inClone(commandLine(...words));

/** A command line as it is typed in a clone. */
export const inClone = (line: string): string => `npm start -- ${line}`;

function quoted(word: string): string {
  return /^[\w.@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
