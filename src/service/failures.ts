import { isKyError } from 'ky';
import { type ErrorCode, errorCatalogue, Failure } from '../model/errors.ts';
import { excerpt, type Redactor } from '../support/redaction.ts';
import { errorTextOf } from './response/envelope.ts';

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
      status,
    }: {
      readonly retryNow?: boolean | undefined;
      readonly advice?: string | undefined;
      readonly status?: string | null;
    } = {},
  ) {
    super(code, detail, { advice, status });
    this.retryNow = retryNow;
  }
}

/** Returns the Failure for an error of a request. Unexpected errors are only redacted. */
export function failureOf(error: unknown, subject: string, redactor: Redactor): Error {
  if (error instanceof AttemptError) {
    const { code, detail, advice, status } = error;
    return new Failure(code, redactor.redact(detail), { subject, advice, status });
  }
  if (error instanceof Failure) return error;
  // Attempts throw our own errors: an error of ky is a bug, and its message holds the URL.
  if (isKyError(error)) return new Error(`unexpected ${error.name}`);
  return new Error(excerpt(error instanceof Error ? error.message : String(error), redactor));
}

/** Describes a body for people, redacted: JSON by its message, a page by its title (most are a proxy's), others by their first line. */
export function describeBody(body: string, redactor: Redactor): string {
  const text = body.trimStart();
  // `[error] no such host` is no JSON.
  if (/^(\{|\[\s*[{["\]])/.test(text)) return describeJson(parsed(text), redactor);
  if (text.startsWith('<')) {
    const title = /<title>([^<]{1,200})/i.exec(excerpt(text, redactor, 2_000))?.[1];
    return title === undefined ? 'a page without a title' : `a page titled "${title.trim()}"`;
  }
  // It stands inside a sentence.
  return excerpt(text.split('\n', 1)[0]!, redactor).replace(/\.$/, '') || 'an empty body';
}

/** Describes parsed JSON by its message or, without one, by its fields. */
export function describeJson(json: unknown, redactor: Redactor): string {
  if (json === undefined) return 'malformed JSON';
  const message = errorTextOf(json);
  if (message !== null) return describeBody(message, redactor);
  const fields = Object.keys(json ?? {}).slice(0, 5);
  if (Array.isArray(json) || fields.length === 0) return 'JSON without a message';
  return excerpt(`JSON without a message, with the fields ${fields.join(', ')}`, redactor);
}

/** Undefined if it isn't JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
