import { CommanderError } from 'commander';
import { ConfigurationFailure } from '../config/load.ts';
import { exitCode, Interrupted } from '../model/exit-code.ts';
import { Failure } from '../model/failure.ts';
import type { Redactor } from '../support/redaction.ts';
import { warehouseFailure } from '../warehouse/failures.ts';

export type Explanation = { readonly lines: readonly string[]; readonly exitCode: number };

/** The lines to print about an error, and the exit code. Only an internal error shows its stack. */
export function explain(error: unknown, redactor: Redactor): Explanation {
  const { lines, exitCode } = meaning(error);
  return { lines: lines.map((line) => redactor.redact(line)), exitCode };
}

function meaning(error: unknown): Explanation {
  // Commander has printed it already; help and version end with 0.
  if (error instanceof CommanderError)
    return { lines: [], exitCode: error.exitCode === 0 ? 0 : exitCode.usage };
  if (error instanceof ConfigurationFailure) return { lines: error.errors, exitCode: error.exitCode };
  const failure = error instanceof Failure ? error : warehouseFailure(error);
  if (failure !== null) return { lines: [failure.line], exitCode: failure.exitCode };
  if (isFileError(error))
    return {
      lines: [`${error.message}: check the path, the port and the rights to it`],
      exitCode: exitCode.usage,
    };
  if (error instanceof Interrupted) return { lines: [error.message], exitCode: error.exitCode };
  return { lines: internalErrorLines(error), exitCode: exitCode.internal };
}

/** The lines of an error that nobody caught: an internal error, whatever it is. */
export function explainUncaught(error: unknown, redactor: Redactor): string[] {
  return internalErrorLines(error).map((line) => redactor.redact(line));
}

function internalErrorLines(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return ['an internal error of Callsheet; please report it with the lines below', stack];
}

/** An error of the system about a file or a port of the command line or a setting. */
function isFileError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}
