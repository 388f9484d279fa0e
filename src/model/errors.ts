import { type ExitCode, exitCode } from './exit-code.ts';

type ErrorEntry = {
  /** In a few words, for tables and alerts. */
  readonly summary: string;
  /** What a person does about it. */
  readonly toDo: string;
  readonly exitCode: ExitCode;
  /** Whether another attempt of the same run may succeed (design, `RETRY_FOR`). */
  readonly retryable: boolean;
};

/** Every error that somebody can act on, the gravest first; the tables of the documents are made of it. */
export const errorCatalogue = {
  INVALID_ARGUMENTS: {
    summary: 'invalid arguments',
    toDo: 'see `--help` of the command',
    exitCode: exitCode.usage,
    retryable: false,
  },
  INVALID_CONFIGURATION: {
    summary: 'invalid configuration',
    toDo: 'correct the settings that it names; all of them are reported together',
    exitCode: exitCode.configuration,
    retryable: false,
  },
  SCHEMA_TOO_OLD: {
    summary: 'the schema is not that of this version',
    toDo: 'run `migrate`, or the version of Callsheet that made the schema',
    exitCode: exitCode.configuration,
    retryable: false,
  },
  TOKEN_REFUSED: {
    summary: 'token refused',
    toDo: 'put a valid token into SIDTOKEN, or where ACCOUNTS_FILE names it, and run again',
    exitCode: exitCode.tokenRefused,
    retryable: false,
  },
  REQUEST_REFUSED: {
    summary: 'request refused',
    toDo: 'check `SERVICE_BASE_URL` and what is between Callsheet and the service; `doctor` shows the response',
    exitCode: exitCode.runAgain,
    retryable: false,
  },
  SERVICE_UNAVAILABLE: {
    summary: 'service unavailable',
    toDo: 'nothing, if the service is down for a while: the next run catches up; else check network and `SERVICE_BASE_URL`',
    exitCode: exitCode.unavailable,
    retryable: true,
  },
  INVALID_RESPONSE: {
    summary: 'invalid response',
    toDo: '`doctor` shows what the service says; what was loaded before stays',
    exitCode: exitCode.runAgain,
    retryable: true,
  },
  WALK_INCOMPLETE: {
    summary: 'walk incomplete',
    toDo: 'nothing, if it happens once: the next run walks again, and until then nobody is marked absent',
    exitCode: exitCode.runAgain,
    retryable: true,
  },
  WAREHOUSE_UNAVAILABLE: {
    summary: 'database unavailable',
    toDo: 'check that the database runs and that `DATABASE_URL` is right, then `run`',
    exitCode: exitCode.unavailable,
    retryable: true,
  },
  RUN_IN_PROGRESS: {
    summary: 'another run is in progress',
    toDo: 'wait until it has ended, then run again',
    exitCode: exitCode.runAgain,
    retryable: false,
  },
  NO_WORKER: {
    summary: 'no worker is running',
    toDo: 'start `worker` on a machine that reaches the database, or run without `--distribute`',
    exitCode: exitCode.runAgain,
    retryable: false,
  },
  WINDOW_UNFINISHED: {
    summary: 'no worker could finish a day',
    toDo: 'look at the logs of the workers, then `run`',
    exitCode: exitCode.runAgain,
    retryable: false,
  },
  INTERNAL: {
    summary: 'internal error of Callsheet',
    toDo: 'report it with the stack in the log; the others go on',
    exitCode: exitCode.internal,
    retryable: false,
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/**
 * An error that somebody can act on: `message` says what happened, `advice` what to do.
 * It holds no cause on purpose: the errors of HTTP clients carry the URL, and with it the token.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  readonly advice: string;

  constructor(code: ErrorCode, message: string, advice: string) {
    super(message);
    this.code = code;
    this.advice = advice;
  }

  get exitCode(): ExitCode {
    return errorCatalogue[this.code].exitCode;
  }

  /** What happened and what to do, in one line. */
  get line(): string {
    return `${this.message}: ${this.advice}`.replaceAll(/\s+/g, ' ');
  }
}

/** What would fail every other window, too: it ends the run. */
const ofAll: ReadonlySet<ErrorCode> = new Set(['WAREHOUSE_UNAVAILABLE', 'NO_WORKER']);

/** Whether it is the error of one window, or of a walk: reported, while the others go on. */
export function isOfOne(error: unknown): error is Failure {
  return error instanceof Failure && !ofAll.has(error.code);
}

/** The failure of a command line that can't be carried out. */
export function usageFailure(message: string): Failure {
  return new Failure('INVALID_ARGUMENTS', message, 'see --help');
}
