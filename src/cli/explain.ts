import path from 'node:path';
import { CommanderError } from 'commander';
import { ConfigurationFailure } from '../config/load.ts';
import { Failure, lineOf, usageFailure } from '../model/errors.ts';
import { exitCode, Interrupted } from '../model/exit-code.ts';
import { isSystemError, whyUnwritable } from '../support/folder.ts';
import type { Redactor } from '../support/redaction.ts';
import { warehouseFailure } from '../warehouse/failures.ts';

export type Explanation = {
  readonly lines: readonly string[];
  readonly exitCode: number;
};

/** The lines to print about an error, and the exit code. Only an internal error shows its stack. */
export function explain(error: unknown, redactor: Redactor): Explanation {
  // Help and version end with 0.
  if (error instanceof CommanderError) {
    const [, detail] = /^error: (.+?)\.?$/s.exec(error.message) ?? [];
    return {
      lines: detail === undefined ? [] : [lineOf(usageFailure(detail.replaceAll('\n', ' ')))],
      exitCode: error.exitCode === 0 ? exitCode.done : exitCode.usage,
    };
  }
  if (error instanceof ConfigurationFailure)
    return { lines: error.errors.map((line) => redactor.redactOwn(line)), exitCode: error.exitCode };
  if (error instanceof Interrupted)
    return { lines: [`${error.message}; run the same command to continue`], exitCode: error.exitCode };
  const failure = error instanceof Failure ? error : warehouseFailure(error);
  if (failure !== null) return { lines: [redactor.redactOwn(lineOf(failure))], exitCode: failure.exitCode };
  if (!isSystemError(error)) return explainInternal(error, redactor);
  return { lines: [redactor.redact(describeFileError(error))], exitCode: exitCode.usage };
}

/** The same for an internal error: nobody caught it, or `explain` doesn't know it. */
export function explainInternal(error: unknown, redactor: Redactor): Explanation {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    lines: ['internal error of Callsheet; please report it with the lines below', redactor.redact(stack)],
    exitCode: exitCode.internal,
  };
}

/** An error about a file or a port from the command line or a setting. */
function describeFileError(error: NodeJS.ErrnoException & { readonly port?: number }): string {
  const { message, code, syscall, path: file, port } = error;
  if (code === 'EADDRINUSE') return `port ${port} is in use: choose another one, or stop what uses it`;
  if (syscall === 'mkdir' && file !== undefined)
    return `${path.resolve(file)} can't be created: ${whyUnwritable(error)}: name a folder that you may write to; in a container, mount one there`;
  if (code === 'ENOENT' && file !== undefined) return `${path.resolve(file)} doesn't exist: check the path`;
  return `${message}: check the path, the port and your rights`;
}
