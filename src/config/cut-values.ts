import { parseEnv } from 'node:util';
import { accountEntries } from './config.ts';
import { dotenvVariable, type Environment, unquoted } from './environment.ts';
import { currentText } from './files-read.ts';
import { type Settings, settingNames } from './schema.ts';

/**
 * Looks in `.env` for a `#` in an unquoted value of ours: Node ends the value there, while Docker's and systemd's files of
 * variables take it for a part. After a space it is a comment, most probably. No message has the value: it may be a token. `names` are
 * the settings with an error.
 *
 * @param settings undefined if they are invalid
 */
export function cutValues(environment: Environment, settings: Settings | undefined) {
  const file = environment[dotenvVariable];
  if (!file) return { names: [], errors: [], warnings: [] };
  const text = currentText(file);
  const values = parseEnv(text);
  const entries = settings === undefined ? [] : accountEntries(settings);
  // pg reads the password of this variable.
  const known = [
    ...settingNames,
    'PGPASSWORD',
    ...entries.flatMap(({ sidtoken_env }) => sidtoken_env?.variable ?? []),
  ];
  const errors = new Map<string, string>();
  const warnings: string[] = [];
  for (const [, name, before] of text.matchAll(
    /^\s*(?:export\s+)?(\w+)[ \t]*=(?![ \t]*['"`])([^#\r\n]*)#/gm,
  )) {
    // A variable of the process comes before that of the file.
    const isUsed = unquoted(values[name!] ?? '') === (environment[name!] ?? '');
    if (!known.includes(name!) || !isUsed) continue;
    if (!/\s$/.test(before!))
      errors.set(name!, `${name} has a # in ${file}, where its value ends: put the value in single quotes`);
    else
      warnings.push(
        `${name} has a # in ${file}, which is a comment here, but not everywhere: put it on a line of its own, or the value in single quotes`,
      );
  }
  return { names: [...errors.keys()], errors: [...errors.values()], warnings };
}
