/** A command in a block of shell, without comments. */
type CommandLine = { readonly text: string; readonly words: readonly string[] };

/** The commands of a block, in order. Continued lines are joined; `&&` and `|` separate commands. */
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

/** Callsheet's command and its flags, however it is started; null if the words start something else. */
export function ownCommand(words: readonly string[]): { command: string; flags: string[] } | null {
  const begins = [
    words.indexOf('callsheet'),
    words.slice(0, 3).join(' ') === 'npm start --' ? 2 : -1,
    words.includes('compose') ? words.indexOf('schedule') : -1,
  ].find((index) => index >= 0);
  const command = begins === undefined ? undefined : words[begins + 1];
  // The placeholder COMMAND, or the image without a command.
  if (command === undefined || !/^[a-z]/.test(command)) return null;
  return { command, flags: words.slice(begins! + 2).flatMap((word) => word.match(/^--[a-z-]+/) ?? []) };
}
