import { isKyError } from 'ky';
import { type ErrorCode, errorCatalogue, Failure, type FailureOptions } from '../model/errors.ts';
import { excerpt, type Redactor } from '../support/redaction.ts';

type RequestErrorCode = Extract<
  ErrorCode,
  'TOKEN_REFUSED' | 'REQUEST_REFUSED' | 'UNKNOWN_ANSWER' | 'SERVICE_UNAVAILABLE' | 'INVALID_RESPONSE'
>;

/** The error of one attempt, before the request's subject is added. It holds no URL with a token. */
export class AttemptError extends Failure {
  /** Another attempt of the same request may help. */
  readonly retryNow: boolean;

  constructor(
    code: RequestErrorCode,
    detail: string,
    {
      retryNow = errorCatalogue[code].retryable,
      ...options
    }: FailureOptions & { readonly retryNow?: boolean } = {},
  ) {
    super(code, detail, options);
    this.retryNow = retryNow;
  }
}

/** Returns the Failure for an error of a request. Unexpected errors are only redacted. */
export function failureOf(error: unknown, subject: string, redactor: Redactor): Error {
  if (error instanceof AttemptError)
    return new Failure(error.code, redactor.redact(error.detail), { ...error, subject });
  if (error instanceof Failure) return error;
  // Attempts throw our own errors: an error of ky is a bug, and its message holds the URL.
  if (isKyError(error)) return new Error(`unexpected ${error.name}`);
  return new Error(excerpt(error instanceof Error ? error.message : String(error), redactor));
}
