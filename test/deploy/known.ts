import { launcherVariable } from '../../src/config/environment.ts';
import { plainSettings, secretSettings } from '../../src/config/schema.ts';
import { readDocument as read, root } from '../support/documents.ts';

export { read, root };

const manifest = JSON.parse(read('package.json')) as { version: string; repository: string };
export const { version } = manifest;
/** The repository in the names of images and in links to documents: `npm run generate` writes it there. */
export const repository = manifest.repository.replace('github:', '');

/** What the release workflow publishes of this version. */
export const image = `ghcr.io/${repository}:${version}`;
export const documents = `https://github.com/${repository}/blob/v${version}/docs`;

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
