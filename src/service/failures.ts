import { isKyError } from 'ky';
import { type ErrorCode, errorCatalogue, Failure } from '../model/errors.ts';
import { excerpt, type Redactor } from '../support/redaction.ts';

/** The codes that a request may end in. */
type RequestErrorCode = Extract<
  ErrorCode,
  'TOKEN_REFUSED' | 'REQUEST_REFUSED' | 'SERVICE_UNAVAILABLE' | 'INVALID_RESPONSE'
>;

/** Why one attempt has no valid response, before the request's subject is added; it holds no URL with a token. */
export class AttemptError extends Failure {
  /** Whether another attempt of the same request may help. */
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

/** The failure that an error of a request amounts to; unexpected errors are only redacted. */
export function failureOf(error: unknown, subject: string, redactor: Redactor): Error {
  if (error instanceof AttemptError) {
    const { code, detail, advice } = error;
    return new Failure(code, redactor.redact(detail), { subject, advice });
  }
  if (error instanceof Failure) return error;
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
