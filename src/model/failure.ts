import { type ExitCode, exitCode } from './exit-code.ts';

const exitCodes = {
  usage: exitCode.usage,
  configuration: exitCode.configuration,
  'schema too old': exitCode.configuration,
  'token refused': exitCode.tokenRefused,
  'request refused': exitCode.runAgain,
  'service unavailable': exitCode.unavailable,
  'answer not understood': exitCode.runAgain,
  'walk incomplete': exitCode.runAgain,
  'warehouse unavailable': exitCode.unavailable,
  'another run': exitCode.runAgain,
  'no worker': exitCode.runAgain,
  unfinished: exitCode.runAgain,
  mail: exitCode.runAgain,
  // Anything unexpected inside one window, client list or digest.
  internal: exitCode.internal,
} satisfies Record<string, ExitCode>;

export type FailureKind = keyof typeof exitCodes;

/**
 * An error that somebody can act on: `message` says what happened, `advice` what to do.
 * It holds no cause on purpose: the errors of HTTP clients carry the URL, and with it the token.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly advice: string;

  constructor(kind: FailureKind, message: string, advice: string) {
    super(message);
    this.kind = kind;
    this.advice = advice;
  }

  get exitCode(): ExitCode {
    return exitCodes[this.kind];
  }

  /** What happened and what to do, in one line. */
  get line(): string {
    return `${this.message}: ${this.advice}`.replaceAll(/\s+/g, ' ');
  }
}

/** What would fail every other window, too: it ends the run. */
const ofAll: ReadonlySet<FailureKind> = new Set(['warehouse unavailable', 'no worker']);

/** Whether it is the error of one window, or of a walk: reported, while the others go on. */
export function isOfOne(error: unknown): error is Failure {
  return error instanceof Failure && !ofAll.has(error.kind);
}

/** The failure of a command line that can't be carried out. */
export function usageFailure(message: string): Failure {
  return new Failure('usage', message, 'see --help');
}
