import { isKyError } from 'ky';
import { type ErrorCode, errorCatalogue, Failure } from '../model/errors.ts';
import { excerpt, type Redactor } from '../support/redaction.ts';

type RequestErrorCode = Extract<
  ErrorCode,
  'TOKEN_REFUSED' | 'REQUEST_REFUSED' | 'SERVICE_UNAVAILABLE' | 'INVALID_RESPONSE'
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
      advice,
    }: { readonly retryNow?: boolean | undefined; readonly advice?: string | undefined } = {},
  ) {
    super(code, detail, { advice });
    this.retryNow = retryNow;
  }
}

/** Returns the Failure for an error of a request. Unexpected errors are only redacted. */
export function failureOf(error: unknown, subject: string, redactor: Redactor): Error {
  if (error instanceof AttemptError) {
    const { code, detail, advice } = error;
    return new Failure(code, redactor.redact(detail), { subject, advice });
  }
  if (error instanceof Failure) return error;
  // Attempts throw our own errors: an error of ky is a bug, and its message holds the URL.
  if (isKyError(error)) return new Error(`unexpected ${error.name}`);
  return new Error(excerpt(error instanceof Error ? error.message : String(error), redactor));
}

/** Describes a body, redacted: a page by its title (most are a proxy's), others by their beginning. */
export function describeBody(body: string, redactor: Redactor): string {
  const text = excerpt(body, redactor, 2_000);
  const title = /^<.*?<title>([^<]{1,200})/i.exec(text)?.[1];
  if (title) return `a page titled "${title.trim()}"`;
  if (/^[{[]/.test(text)) return excerpt(text, redactor);
  const [firstLine] = body.trimStart().split('\n', 1);
  return excerpt(firstLine!, redactor);
}
