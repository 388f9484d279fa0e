import { readFileSync } from 'node:fs';
import path from 'node:path';
import { settingDescriptions } from '../../src/config/descriptions.ts';
import { defaultOf, exampleLine, secretSettings } from '../../src/config/schema.ts';

const subjects =
  Object.entries<Record<string, string | { means: string; unset: string }>>(settingDescriptions);

/** Every setting that is described. */
export const describedSettings: readonly string[] = subjects.flatMap(([, settings]) => Object.keys(settings));

/** `docs/settings.md`, from the schema, the words beside it and the whole files of docs/examples. */
export function settingsPage(): string {
  const sections = subjects.map(([subject, settings]) => {
    const described = Object.entries(settings).map(([name, description]) => describe(name, description));
    return `## ${subject}\n\n${described.join('\n\n')}`;
  });
  return `${[introduction, contents(), ...sections, launcher, accounts(), digests()].join('\n\n')}\n`;
}

const introduction = `# Settings

Settings are environment variables. \`npm start\` also reads a file of them, \`.env\`; a variable that is set wins. An empty
variable counts as not set. All configuration errors are reported together, each with an example.
[.env.example](../.env.example) has every setting, and
[operations.md](operations.md#files-of-settings) says how to write values that every reader of such files takes alike.

Secrets (${secretSettings.map((name) => `\`${name}\``).join(', ')}) can also be given as a file:
\`SIDTOKEN_FILE=/run/secrets/sidtoken\` instead of \`SIDTOKEN\`.

This page is generated from the schema of the settings: \`npm run settings\` writes it again.`;

/** As GitHub makes the anchor of a heading. */
const link = (name: string) => `[\`${name}\`](#${name.toLowerCase()})`;

function contents(): string {
  const rows = subjects.map(([subject, settings]) => {
    const anchor = subject
      .toLowerCase()
      .replaceAll(/[^a-z ]/g, '')
      .replaceAll(' ', '-');
    return `| [${subject}](#${anchor}) | ${Object.keys(settings).map(link).join(', ')} |`;
  });
  return `| subject | settings |\n|---|---|\n${rows.join('\n')}`;
}

function describe(name: string, description: string | { means: string; unset: string }): string {
  const { means, unset } =
    typeof description === 'string' ? { means: description, unset: null } : description;
  const written = defaultOf(name);
  if ((written === null) === (unset === null)) throw new Error(`${name} has no default, or two`);
  const byDefault = unset ?? `\`${written}\``;
  return `### \`${name}\`\n\n${means}\n\nDefault: ${byDefault}. Example: \`${exampleLine(name)}\``;
}

const launcher = `## The launcher

Two variables belong to whatever starts Callsheet. \`CALLSHEET_COMMAND\` is how a command is typed there, such as
\`docker compose run --rm schedule\`: mails, page, \`status\` and logs suggest commands with it; the image, compose and the
systemd unit set it. \`CALLSHEET_SETTINGS\` is the file that \`npm start\` reads instead of \`.env\`.`;

const accounts = () => `## An accounts file

\`ACCOUNTS_FILE\` names a list of accounts, in YAML or JSON. All keys:

${fenced('accounts')}

The names are what \`--account\` takes. [operations.md](operations.md) says how to add, rename and remove accounts.`;

const digests = () => `## A digests file

\`DIGESTS_FILE\` names a list of digests, in YAML or JSON. All keys:

${fenced('digests')}`;

const fenced = (name: 'accounts' | 'digests') => `\`\`\`yaml\n${example(name).trim()}\n\`\`\``;

/** A whole file of docs/examples. */
export function example(name: 'accounts' | 'digests'): string {
  return readFileSync(path.resolve(import.meta.dirname, `../../docs/examples/${name}.yaml`), 'utf8');
}
