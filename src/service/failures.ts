import { isKyError } from 'ky';
import { Failure } from '../model/failure.ts';
import type { Redactor } from '../support/redaction.ts';
import {
  AttemptTimeout,
  ConnectionError,
  ErrorStatus,
  InvalidResponse,
  NotJson,
  ResponseTooLarge,
  TokenRefused,
} from './http/request-errors.ts';
import { excerpt } from './response/redact-body.ts';

/** What was requested, for the message of an error. */
export type RequestContext = {
  readonly account: string;
  /** `clients, page 3` */
  readonly about: string;
  readonly baseUrl: string;
};

type Subject = Pick<RequestContext, 'account' | 'about'>;

const where = ({ account, about }: Subject) => `account ${account}, ${about}`;

/** 401, 403, or an error about a token: only a person can fix it. */
export function tokenRefused(context: Subject, detail: string): Failure {
  return new Failure(
    'token refused',
    `${where(context)}: the service refuses the session token (${detail.slice(0, 200)})`,
    'put a valid token into SIDTOKEN, or where ACCOUNTS_FILE names it, and run again',
  );
}

/** Unreachable, silent or overloaded on every attempt: the next run heals it. */
function unavailable(context: Subject, problem: string): Failure {
  return new Failure(
    'service unavailable',
    `${where(context)}: the service ${problem}`,
    'check SERVICE_BASE_URL and the network; the next run tries again',
  );
}

/** A status that is not retryable. */
function requestRefused(context: Subject, detail: string): Failure {
  return new Failure(
    'request refused',
    `${where(context)}: the service refuses the request (${detail})`,
    'check SERVICE_BASE_URL; if it is right, ask the provider of the service',
  );
}

/** A response that isn't what the document shows. */
export function invalidResponse(context: Subject, reason: string): Failure {
  return new Failure(
    'answer not understood',
    `${where(context)}: invalid response (${reason.slice(0, 200)})`,
    'check that SERVICE_BASE_URL is the address of the service; the next run tries again',
  );
}

/** A walk over the client pages that can't be proven complete; its clients are loaded. */
export function walkIncomplete(account: string, problem: string): Failure {
  return new Failure(
    'walk incomplete',
    `account ${account}, clients: the walk over all pages can't be proven complete (${problem})`,
    'what was seen is loaded and nobody is marked absent; the next run walks again, and doctor says how the service pages',
  );
}

/** The failure that an error of a request amounts to; unexpected errors are only redacted. */
export function failureOf(error: unknown, context: RequestContext, redactor: Redactor): Error {
  const cut = (text: string) => excerpt(text, redactor);
  if (error instanceof Failure) return error;
  if (error instanceof ErrorStatus) return failureOfStatus(error.status, cut(error.body), context);
  if (error instanceof TokenRefused) return tokenRefused(context, error.message);
  if (error instanceof InvalidResponse) return invalidResponse(context, error.message);
  if (error instanceof AttemptTimeout) return unavailable(context, `sent ${error.message} on any attempt`);
  if (error instanceof ConnectionError)
    return unavailable(context, `can't be reached at ${context.baseUrl} (${cut(error.message)})`);
  if (error instanceof NotJson) return invalidResponse(context, `not JSON: ${error.message}`);
  if (error instanceof ResponseTooLarge) return invalidResponse(context, `the body has ${error.message}`);
  // Attempts throw errors of ours, so this one is a bug; its message holds the URL.
  if (isKyError(error)) return new Error(`unexpected ${error.name}`);
  return new Error(cut(error instanceof Error ? error.message : String(error)));
}

function failureOfStatus(status: number, detail: string, context: RequestContext): Failure {
  if (status === 401 || status === 403) return tokenRefused(context, `status ${status}: ${detail}`);
  if (status === 408 || status === 429 || status >= 500) {
    return unavailable(context, `responded with status ${status} on every attempt: ${detail}`);
  }
  return requestRefused(context, `status ${status}: ${detail}`);
}
