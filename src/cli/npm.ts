import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import type { Environment } from '../config/environment.ts';
import { type Failure, usageFailure } from '../model/errors.ts';
import { asTyped } from '../support/commands.ts';

// npm takes options of a command that it starts without `--`: `npm start run --dry-run`.

/** Set by `npm start`, `npm run` and `npx`. */
export const isUnderNpm = ({ npm_lifecycle_event: script }: Environment): boolean => script !== undefined;

/** npm's own settings can be as short as this: `ca`. */
const minLetters = 3;

/**
 * The error if npm took an option of `command` for itself, abbreviated or not; null if it took none. npm then leaves
 * `npm_config_dry_run=true`, or `npm_config_digest=` for `--no-digest`.
 */
export function takenByNpm(command: Command, environment: Environment): Failure | null {
  if (!isUnderNpm(environment)) return null;
  const prefix = 'npm_config_';
  const variables = Object.keys(environment).filter((name) => name.startsWith(prefix));
  for (const option of command.options) {
    if (command.getOptionValueSource(option.attributeName()) === 'cli') continue;
    const whole = option.attributeName().toLowerCase();
    const variable = variables.find((name) => {
      const typed = name.slice(prefix.length).replaceAll('_', '');
      const isMeant = typed === whole || (typed.length >= minLetters && whole.startsWith(typed));
      return isMeant && (option.negate ? environment[name] === '' : Boolean(environment[name]));
    });
    if (variable === undefined) continue;
    return usageFailure(
      `npm took ${option.long} for itself: type -- before the command: ${asTyped(command.name(), option.long!)}; ` +
        `if you didn't type ${option.long}, remove ${variable} from the environment, or its line from .npmrc`,
    );
  }
  return null;
}

/**
 * Advice about an error of commander: of `npm start run --day X`, npm leaves `run X`. Null if an option arrived, so npm took
 * none, or if it isn't that.
 */
export function leftByNpm(
  error: unknown,
  environment: Environment,
  [name, ...rest]: readonly string[],
): string | null {
  if (!isUnderNpm(environment) || !(error instanceof CommanderError)) return null;
  const codes = ['commander.excessArguments', 'commander.missingMandatoryOptionValue'];
  const isWordsOnly = rest.length > 0 && !rest.some((word) => word.startsWith('-'));
  if (!codes.includes(error.code) || !isWordsOnly) return null;
  return `if you typed an option, npm took it: type -- before the command: ${asTyped(name!, '--OPTION', 'VALUE')}`;
}

const watchMs = 500;

/** Calls `ended` once the npm that started this process has ended: it passes no SIGTERM on. On Windows it never does. */
export function watchNpm(ended: () => void): void {
  const isShell = /sh$/.test(readProcess(process.ppid, 'comm'));
  // npm starts a script through a shell. Some shells replace themselves with the program; others, such as dash, wait for it.
  const npm = () =>
    isShell ? /.*\) \S (\d+)/s.exec(readProcess(process.ppid, 'stat'))?.[1] : String(process.ppid);
  const started = npm();
  const timer = setInterval(() => {
    if (npm() === started) return;
    clearInterval(timer);
    ended();
  }, watchMs).unref();
}

/** Empty where there is no /proc, or no such process. */
function readProcess(id: number, file: 'comm' | 'stat'): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8').trim();
  } catch {
    return '';
  }
}
