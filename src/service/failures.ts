import { isKyError } from 'ky';
import { type ErrorCode, errorCatalogue, Failure } from '../model/errors.ts';
import { excerpt, type Redactor } from '../support/redaction.ts';

/** What was requested, for the message of an error. */
export type Subject = {
  readonly account: string;
  /** `clients, page 3` */
  readonly about: string;
};

/** The failures that a request may end in: what happened, what to do, and whether another attempt may help. */
const requestFailures = {
  // 401, 403, or an error about a token: only a person can fix it.
  TOKEN_REFUSED: {
    message: (detail: string) => `the service refuses the session token (${detail})`,
    advice: errorCatalogue.TOKEN_REFUSED.toDo,
    isRetryable: false,
  },
  REQUEST_REFUSED: {
    message: (detail: string) => `the service refuses the request (${detail})`,
    advice: 'check SERVICE_BASE_URL; if it is right, ask the provider of the service',
    isRetryable: false,
  },
  // Unreachable, silent or overloaded on every attempt: the next run heals it.
  SERVICE_UNAVAILABLE: {
    message: (detail: string) => `the service ${detail}`,
    advice: 'check SERVICE_BASE_URL and the network',
    isRetryable: true,
  },
  // A response that isn't what the document shows.
  INVALID_RESPONSE: {
    message: (detail: string) => `invalid response (${detail})`,
    advice: 'check that SERVICE_BASE_URL is the address of the service',
    isRetryable: true,
  },
};

type RequestErrorCode = keyof typeof requestFailures;

/** Why an attempt has no valid response; the message is the detail of its failure, and holds neither URL nor token. */
export class AttemptError extends Error {
  readonly code: RequestErrorCode;
  readonly isRetryable: boolean;
  /** What to do. */
  readonly advice: string;

  constructor(
    code: RequestErrorCode,
    detail: string,
    isRetryable = requestFailures[code].isRetryable,
    advice = requestFailures[code].advice,
  ) {
    super(detail);
    this.code = code;
    this.isRetryable = isRetryable;
    this.advice = advice;
  }
}

/** The failure that an error of a request amounts to; unexpected errors are only redacted. */
export function failureOf(error: unknown, subject: Subject, redactor: Redactor): Error {
  if (error instanceof Failure) return error;
  if (error instanceof AttemptError) {
    return requestFailure(error.code, subject, redactor.redact(error.message), error.advice);
  }
  // Attempts throw errors of ours, so this one is a bug; its message holds the URL.
  if (isKyError(error)) return new Error(`unexpected ${error.name}`);
  return new Error(excerpt(error instanceof Error ? error.message : String(error), redactor));
}

/** A body for messages, redacted: the title of a page, as most are a proxy's; the beginning of JSON; else the first line. */
export function describeBody(body: string, redactor: Redactor): string {
  const text = excerpt(body, redactor, 2_000);
  const title = /^<.*?<title>([^<]{1,200})/i.exec(text)?.[1];
  if (title) return `a page titled "${title.trim()}"`;
  if (/^[{[]/.test(text)) return excerpt(text, redactor);
  const [firstLine] = body.trimStart().split('\n', 1);
  return excerpt(firstLine!, redactor);
}

/** A response whose records can't be used. */
export function invalidResponse(subject: Subject, detail: string): Failure {
  return requestFailure('INVALID_RESPONSE', subject, detail);
}

/** A walk over the client pages that isn't complete; its clients are loaded. `code` is that of a page that failed. */
export function walkIncomplete(
  account: string,
  problem: string,
  code: ErrorCode = 'WALK_INCOMPLETE',
): Failure {
  return new Failure(
    code,
    `account ${account}, clients: the walk over all pages can't be proven complete (${problem})`,
    'what was seen is loaded and nobody is marked absent; the next run walks again, and doctor says how the service pages',
  );
}

function requestFailure(
  code: RequestErrorCode,
  { account, about }: Subject,
  detail: string,
  advice = requestFailures[code].advice,
): Failure {
  const message = requestFailures[code].message(detail);
  return new Failure(code, `account ${account}, ${about}: ${message}`, advice);
}
