/** A command of a block of shell, without comments. */
export type CommandLine = { readonly text: string; readonly words: readonly string[] };

/** The commands of a block, in order: continued lines are joined, and what && or | connects is apart. */
export function commandLines(block: string): CommandLine[] {
  return block
    .replaceAll(/(\\|(\|))\n\s*/g, '$2 ')
    .split('\n')
    .flatMap((line) => commandsOf(line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []))
    .map((words) => ({ text: words.join(' '), words }));
}

function commandsOf(words: readonly string[]): string[][] {
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word.startsWith('#')) break;
    if (word === '&&' || word === '|') commands.push([]);
    else commands.at(-1)!.push(word);
  }
  return commands.filter(({ length }) => length > 0);
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
