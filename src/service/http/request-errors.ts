/** Status 200 with a body that is not JSON: often a proxy's page, gone at the next attempt. */
export class NotJson extends Error {}

/** Status 200 with JSON that is not the response of the document. */
export class InvalidResponse extends Error {}

/** Status 200 with an error about a token, session or login. */
export class TokenRefused extends Error {}

/** No complete response within the time for one attempt. */
export class AttemptTimeout extends Error {}

/** The connection failed, was cut, or spoke something other than HTTP; the message is a code. */
export class ConnectionError extends Error {}

/** A body with more bytes than the limit. */
export class ResponseTooLarge extends Error {}

/** A status that is not 2xx. */
export class ErrorStatus extends Error {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`status ${status}`);
    this.status = status;
    this.body = body;
  }
}

const retryableStatuses = new Set([408, 429, 500, 501, 502, 503, 504, 507, 520, 521, 522, 523, 524, 529]);
const retryableErrors = [NotJson, InvalidResponse, AttemptTimeout, ConnectionError];

/** Whether another attempt may help: a token is refused again, and a response stays as large as it is. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof ErrorStatus) return retryableStatuses.has(error.status);
  return retryableErrors.some((kind) => error instanceof kind);
}

/** Why `fetch` failed, as a code for messages: what else its errors hold may contain the URL. */
export function connectionErrorCode(error: unknown): string {
  const { cause } = (error ?? {}) as { readonly cause?: NodeJS.ErrnoException };
  // What fetch refuses to connect to, like port 6000, has no code.
  if (cause?.message === 'bad port') return 'fetch blocks this port';
  return cause?.code ?? 'no connection';
}
