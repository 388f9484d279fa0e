/** A simple command of a block of shell: its words, without comments, and whether it is followed by more of a pipeline. */
export type CommandLine = { readonly text: string; readonly words: readonly string[] };

/** The commands of a block, in order: continued lines are joined, and what && or | connects is apart. */
export function commandLines(block: string): CommandLine[] {
  const lines = block
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll(/\|\n\s*/g, '| ')
    .split('\n');
  return lines
    .map((line) => line.replace(/(^|\s+)#(?=\s).*$/, ''))
    .flatMap((line) => line.split(/ (?:&&|\|) /))
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => ({ text, words: text.match(/(?:'[^']*'|"[^"]*"|\S)+/g)! }));
}

/** The words behind `callsheet`, `npm start --`, or what starts the image or its service: a command of ours and its arguments. */
export function ownCommand(words: readonly string[]): { command: string; flags: string[] } | null {
  const begins = [
    words.indexOf('callsheet'),
    words.slice(0, 3).join(' ') === 'npm start --' ? 2 : -1,
    words.includes('compose') ? words.indexOf('schedule') : -1,
  ].find((index) => index >= 0);
  const command = begins === undefined ? undefined : words[begins + 1];
  // A placeholder, COMMAND, or the image by itself.
  if (command === undefined || !/^[a-z]/.test(command)) return null;
  return { command, flags: words.slice(begins! + 2).flatMap((word) => word.match(/^--[a-z-]+/) ?? []) };
}

/** The settings that a block sets for those after it, `NAME=value` alone on a line. */
export const isSetting = ({ words }: CommandLine): boolean =>
  words.length === 1 && /^[A-Z_]+=/.test(words[0]!);
