import { type ExitCode, exitCode, Interrupted } from './exit-code.ts';

type ErrorEntry = {
  /** In a few words, for tables and alerts. */
  readonly summary: string;
  /** The first thing to do, unless a failure knows a better one. */
  readonly advice: string;
  readonly exitCode: ExitCode;
  /** Another attempt of the same run may succeed (docs/scheduling.md). */
  readonly retryable: boolean;
};

/** Every error that somebody can act on, the gravest first. The tables of the documents come from it. */
export const errorCatalogue = {
  INVALID_ARGUMENTS: {
    summary: 'invalid arguments',
    advice: 'see --help',
    exitCode: exitCode.usage,
    retryable: false,
  },
  INVALID_CONFIGURATION: {
    summary: 'invalid configuration',
    advice: 'correct the named settings; all errors are reported together',
    exitCode: exitCode.configuration,
    retryable: false,
  },
  SCHEMA_TOO_OLD: {
    summary: "the schema doesn't match this version",
    advice: 'run migrate, or use the version of Callsheet that made the schema',
    exitCode: exitCode.configuration,
    retryable: false,
  },
  TOKEN_REFUSED: {
    summary: 'token refused',
    advice:
      'write a valid token to SIDTOKEN, or where ACCOUNTS_FILE names it, and run again; if the response is about something else, such as an address or a limit, ask the provider',
    exitCode: exitCode.tokenRefused,
    retryable: false,
  },
  CLIENT_LIST_REFUSED: {
    summary: 'client list refused',
    advice: 'ask the provider to allow getClients for this token; figures are not affected',
    exitCode: exitCode.runAgain,
    retryable: false,
  },
  NOT_REQUESTED: {
    summary: 'not requested',
    advice: 'replace the refused tokens; each run begins with other accounts',
    exitCode: exitCode.runAgain,
    retryable: false,
  },
  REQUEST_REFUSED: {
    summary: 'request refused',
    advice:
      'check SERVICE_BASE_URL and any proxy in between; if both are right, ask the provider; doctor shows the response',
    exitCode: exitCode.runAgain,
    retryable: false,
  },
  UNKNOWN_ANSWER: {
    summary: 'unknown answer',
    advice:
      'if it says that there are no campaigns, accept it as an empty day; if it is about the token, write a new one; else ask the provider what it means',
    exitCode: exitCode.runAgain,
    retryable: true,
  },
  SERVICE_UNAVAILABLE: {
    summary: 'service unavailable',
    advice: 'try again later: each run also loads the days that were missed',
    exitCode: exitCode.unavailable,
    retryable: true,
  },
  INVALID_RESPONSE: {
    summary: 'invalid response',
    advice:
      'check that SERVICE_BASE_URL is the address of the service; doctor shows the response; earlier figures stay',
    exitCode: exitCode.runAgain,
    retryable: true,
  },
  WALK_INCOMPLETE: {
    summary: 'client list incomplete',
    advice:
      'the next run fetches the list again; if it happens again, doctor shows how the service pages its list',
    exitCode: exitCode.runAgain,
    retryable: true,
  },
  WAREHOUSE_UNAVAILABLE: {
    summary: 'database unavailable',
    advice: 'check that the database is running and DATABASE_URL is right; then run again',
    exitCode: exitCode.unavailable,
    retryable: true,
  },
  DATABASE_FULL: {
    summary: 'database full',
    advice: 'free space where Postgres runs; then run again',
    exitCode: exitCode.unavailable,
    retryable: true,
  },
  DATABASE_READ_ONLY: {
    summary: 'database read-only',
    advice:
      'after a failover, wait, or name the primary in DATABASE_URL; if default_transaction_read_only is on, whoever set it resets it: providers set it while the disk is nearly full; then run again',
    exitCode: exitCode.unavailable,
    retryable: true,
  },
  RUN_IN_PROGRESS: {
    summary: 'another run is running',
    advice: 'wait for it to end, then run again',
    exitCode: exitCode.runAgain,
    retryable: false,
  },
  NO_WORKER: {
    summary: 'no worker is running',
    advice: 'start a worker on a machine that reaches the database, or run without --distribute',
    exitCode: exitCode.runAgain,
    retryable: false,
  },
  WINDOW_UNFINISHED: {
    summary: 'no worker could finish a day',
    advice: "look at the workers' logs, then run again",
    exitCode: exitCode.runAgain,
    retryable: false,
  },
  INTERNAL: {
    summary: 'internal error of Callsheet',
    advice: 'report it with the stack in the log; the rest continues',
    exitCode: exitCode.internal,
    retryable: false,
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

export type FailureOptions = {
  readonly subject?: string | null;
  /** A better first step than the catalogue's. */
  readonly advice?: string | undefined;
  readonly status?: string | null | undefined;
  readonly sign?: string | null | undefined;
};

/**
 * An error that somebody can act on. The catalogue says what its code means. It has no cause on purpose: errors
 * of HTTP clients carry the URL, and with it the token.
 */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: ErrorCode;
  /** The subject that failed: `account north, campaigns of 2026-03-02`; null for the whole run or command. */
  readonly subject: string | null;
  /** The event, without subject and advice. */
  readonly detail: string;
  /** The first thing to do. */
  readonly advice: string;
  /** The HTTP status, errno or SQLSTATE that says so; null if none does. */
  readonly status: string | null;
  /** All that an unknown answer says; null for other errors. */
  readonly sign: string | null;

  constructor(
    code: ErrorCode,
    detail: string,
    { subject = null, advice = errorCatalogue[code].advice, status = null, sign = null }: FailureOptions = {},
  ) {
    super(inOneLine(subject === null ? detail : `${subject}: ${detail}`));
    this.code = code;
    this.subject = subject;
    this.detail = inOneLine(detail);
    this.advice = inOneLine(advice);
    this.status = status;
    this.sign = sign;
  }

  get exitCode(): ExitCode {
    return errorCatalogue[this.code].exitCode;
  }
}

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

/** Subject, event and advice in one line. */
export function lineOf({ message, advice }: Failure): string {
  return `${message}: ${advice}`;
}

/** Returns whether the database can't be used now, and may be later. */
export const isOfDatabase = ({ code }: Pick<Failure, 'code'>): boolean =>
  code === 'WAREHOUSE_UNAVAILABLE' || code === 'DATABASE_FULL' || code === 'DATABASE_READ_ONLY';

/** Returns whether an error ends the run, because everything else would fail, too. */
export function endsRun(error: unknown): boolean {
  if (error instanceof Failure) return isOfDatabase(error) || error.code === 'NO_WORKER';
  return error instanceof Interrupted;
}

/** Returns whether an error is of one account: others may go on. */
export function isOfAccount(error: unknown): error is Failure {
  const codes: readonly ErrorCode[] = [
    'TOKEN_REFUSED',
    'REQUEST_REFUSED',
    'UNKNOWN_ANSWER',
    'INVALID_RESPONSE',
    'WALK_INCOMPLETE',
  ];
  return error instanceof Failure && codes.includes(error.code);
}

/** The failure of a command line that can't be carried out. */
export function usageFailure(detail: string): Failure {
  return new Failure('INVALID_ARGUMENTS', detail);
}
