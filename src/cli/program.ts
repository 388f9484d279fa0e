import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Command, Help, type Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import {
  dotenvVariable,
  type Environment,
  launcherVariable,
  readEnvironment,
} from '../config/environment.ts';
import { Failure, usageFailure } from '../model/errors.ts';
import { exitCode } from '../model/exit-code.ts';
import { asTyped, commandLine, useLauncher } from '../support/commands.ts';
import { stderrPaint } from '../support/paint.ts';
import { createRedactor } from '../support/redaction.ts';
import type { Context } from './context.ts';
import { type Explanation, explain, explainInternal } from './explain.ts';
import { interrupt, interrupted } from './interruption.ts';
import { isUnderNpm, leftByNpm, takenByNpm, watchNpm } from './npm.ts';
import { createLiveLine } from './progress/live-line.ts';
import { StrictCommand } from './strict-command.ts';

/** The help lists the commands in these groups. Each has a file of its name, which is loaded on demand: that saves time and memory. */
const groups = {
  'Every day:': ['run', 'schedule', 'status', 'digest', 'accept', 'clients', 'campaigns'],
  'Operations:': ['doctor', 'migrate', 'backfill', 'replay', 'worker', 'forget'],
  'Getting started:': ['demo', 'simulate', 'init'],
};

type CommandFile = { readonly add: (program: Command, context: Context) => void };

/** Runs one command line and returns its exit code. Prints every error. */
export async function runProgram(typed: readonly string[]): Promise<number> {
  const argv = typed[0] === 'help' ? [...typed.slice(1), '--help'] : typed;
  let code: number = exitCode.done;
  const environment = readEnvironment();
  useLauncher(environment[launcherVariable]);
  const context: Context = {
    command: commandLine(...argv),
    environment,
    signal: interrupted,
    redactor: createRedactor(),
    live: createLiveLine(process.stderr, environment.TERM),
    // Lines of over 120 are hard to read.
    columns: Math.max(40, Math.min(120, process.stdout.columns || Number(environment.COLUMNS) || 80)),
    isTerminal: process.stdout.isTTY === true,
    print: (text) => process.stdout.write(`${text}\n`),
    setExitCode: (ended) => {
      code = ended;
    },
  };
  handleStrayErrors(context);
  if (isUnderNpm(environment)) watchNpm(() => interrupt('SIGTERM'));
  const program = new StrictCommand(asTyped())
    .version(manifest.version)
    .description('Campaign figures of the voice broadcasting service, every night, in Postgres and by mail.')
    .exitOverride()
    .configureHelp({ optionDescription: describeOption, subcommandTerm: (command) => command.name() })
    .helpCommand(false)
    .configureOutput({ writeOut: (text) => context.print(text.trimEnd()), outputError: () => {} })
    .hook('preAction', (_, command) => {
      const taken = takenByNpm(command, environment);
      if (taken !== null) throw taken;
      // A variable of a shell that isn't set leaves nothing: `--account "$NAME"`.
      for (const option of command.options)
        if ([command.getOptionValue(option.attributeName())].flat().includes(''))
          throw usageFailure(`${option.long} is empty`);
    });
  const all = Object.values(groups).flat();
  // The help, and the error about an unknown command, need all commands; the version needs none.
  const needed = all.filter(
    (name) => name === argv[0] || !['--version', '-V', ...all].includes(argv[0] ?? ''),
  );
  for (const [heading, group] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const name of group.filter((each) => needed.includes(each))) {
      const { add }: CommandFile = await import(`./commands/${name}.ts`);
      add(program, context);
    }
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    const { lines, exitCode } = explain(error, context.redactor);
    const advice = leftByNpm(error, environment, argv) ?? unreadDotenv(error, environment);
    return print({ lines: advice === null ? lines : [...lines, advice], exitCode });
  }
}

/** Settings are missing, and there is a `.env` that nobody read. */
function unreadDotenv(error: unknown, environment: Environment): string | null {
  const isConfiguration = error instanceof Failure && error.code === 'INVALID_CONFIGURATION';
  const isElsewhere = environment[launcherVariable] || environment[dotenvVariable] || isUnderNpm(environment);
  if (!isConfiguration || isElsewhere || !existsSync('.env')) return null;
  return `the settings in ${path.resolve('.env')} were not read: ${asTyped('COMMAND')} reads them`;
}

/** Marks required options, which commander doesn't, and begins in upper case, unlike commander's own descriptions. */
function describeOption(option: Option): string {
  const described = new Help().optionDescription(option);
  const sentence = described.charAt(0).toUpperCase() + described.slice(1);
  return option.mandatory ? `${sentence} (required)` : sentence;
}

function handleStrayErrors({ live, redactor }: Context): void {
  // Unhandled rejections arrive here, too: a process in an unknown state must end.
  process.on('uncaughtException', (error) => {
    live.clear();
    process.exit(print(explainInternal(error, redactor)));
  });
  // Nothing stops the work: neither a closed pipe (`| head`) nor a full disk. But results that are cut aren't good.
  process.stderr.on('error', () => {});
  let isCut = false;
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isCut) return;
    isCut = true;
    print({ lines: [`the output can't be written (${code}): it is cut`], exitCode: exitCode.usage });
  });
  process.on('exit', () => {
    if (isCut && !process.exitCode) process.exitCode = exitCode.usage;
  });
}

function print({ lines, exitCode }: Explanation): number {
  for (const line of lines) process.stderr.write(`${stderrPaint.bad('callsheet:')} ${line}\n`);
  return exitCode;
}
