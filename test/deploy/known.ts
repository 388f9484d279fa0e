import { readFileSync } from 'node:fs';
import path from 'node:path';
import { launcherVariable } from '../../src/config/environment.ts';
import { plainSettings, secretSettings } from '../../src/config/schema.ts';

export const root = path.resolve(import.meta.dirname, '../..');
export const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Every name that a deploy file may set. */
export const settingNames: readonly string[] = [
  launcherVariable,
  ...plainSettings,
  ...secretSettings,
  ...secretSettings.map((name) => `${name}_FILE`),
];

/** Each command with its help, as docs/commands.md shows it; test/cli/documented-commands.test.ts holds that to be real. */
const helps = new Map(
  [...read('docs/commands.md').matchAll(/^## ([a-z]+)\n(?:.*\n)*?```\n([\s\S]+?)\n```$/gm)].map(
    ([, command, text]) => [command!, text!],
  ),
);

/** The help of a command, in one text. */
export function help(command: string): string {
  const text = helps.get(command);
  if (text === undefined) throw new Error(`no such command: ${command}`);
  return text;
}

export const commandNames = (): string[] => [...helps.keys()];
