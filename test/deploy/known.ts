import { readFileSync } from 'node:fs';
import path from 'node:path';
import { launcherVariable } from '../../src/config/environment.ts';
import { plainSettings, secretSettings } from '../../src/config/schema.ts';
import { callsheet } from '../support/callsheet.ts';

export const root = path.resolve(import.meta.dirname, '../..');
export const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Every name that a deploy file may set. */
export const settingNames: readonly string[] = [
  launcherVariable,
  ...plainSettings,
  ...secretSettings,
  ...secretSettings.map((name) => `${name}_FILE`),
];

/** The help of a command, in one text; without a command, the help of the program. */
export async function help(...command: string[]): Promise<string> {
  const { code, stdout } = await callsheet([...command, '--help'], {});
  if (code !== 0) throw new Error(`no such command: ${command.join(' ')}`);
  return stdout;
}

export async function commandNames(): Promise<string[]> {
  return [...(await help()).matchAll(/^ {2}([a-z]+)\b/gm)].map((match) => match[1]!);
}
