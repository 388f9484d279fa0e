import path from 'node:path';
import { Command } from 'commander';
import type { Context } from '../../src/cli/context.ts';
import { explain } from '../../src/cli/explain.ts';
import type { Environment } from '../../src/config/environment.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import type { Ended } from './callsheet.ts';

const commands = path.resolve(import.meta.dirname, '../../src/cli/commands');

/**
 * Types a command without a process of its own, which takes most of the time of a command. Its log is silent: `stderr` has
 * what the command ends with.
 */
export async function command(args: readonly string[], environment: Environment): Promise<Ended> {
  const printed: string[] = [];
  const errors: string[] = [];
  let code = 0;
  const context: Context = {
    command: args.join(' '),
    environment: { ...environment, LOG_LEVEL: 'silent' },
    signal: new AbortController().signal,
    redactor: createRedactor(),
    live: {
      columns: null,
      show: () => {},
      clear: () => {},
      keep: () => {},
    },
    columns: Number(environment.COLUMNS) || 80,
    isTerminal: false,
    print: (text) => void printed.push(`${text}\n`),
    setExitCode: (ended) => {
      code = ended;
    },
  };
  const program = new Command('callsheet').exitOverride().configureOutput({
    writeOut: (text) => void printed.push(text),
    writeErr: (text) => void errors.push(text),
    outputError: () => {},
  });
  const { add } = await import(path.join(commands, `${args[0]}.ts`));
  add(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const explanation = explain(error, context.redactor);
    code = explanation.exitCode;
    for (const line of explanation.lines) errors.push(`callsheet: ${line}\n`);
  }
  return {
    code,
    stdout: printed.join(''),
    stderr: errors.join(''),
  };
}
