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
import { excerpt } from './response/excerpt.ts';

/** What was asked, in words for whoever reads the failure. */
export type Asked = { readonly account: string; readonly about: string; readonly baseUrl: string };

const where = ({ account, about }: Asked) => `account ${account}, ${about}`;

/** 401, 403, or an error that speaks of a token: only a person can mend it. */
export function tokenRefused(asked: Asked, said: string): Failure {
  return new Failure(
    'token refused',
    `${where(asked)}: the service refuses the session token (${said.slice(0, 200)})`,
    'put a valid token into SIDTOKEN, or where ACCOUNTS_FILE names it, and run again',
  );
}

/** Unreachable, silent or overloaded after all tries: the next run heals it. */
function unavailable(asked: Asked, said: string): Failure {
  return new Failure(
    'service unavailable',
    `${where(asked)}: the service ${said}`,
    'check SERVICE_BASE_URL and the network; the next run tries again',
  );
}

/** A status that repeating won't change. */
function requestRefused(asked: Asked, said: string): Failure {
  return new Failure(
    'request refused',
    `${where(asked)}: the service refuses the request (${said})`,
    'check SERVICE_BASE_URL; if it is right, ask the provider of the service',
  );
}

/** An answer that isn't what the document shows. */
export function notUnderstood(asked: Pick<Asked, 'account' | 'about'>, fault: string): Failure {
  return new Failure(
    'answer not understood',
    `account ${asked.account}, ${asked.about}: the answer is not what the document shows (${fault.slice(0, 200)})`,
    'check that SERVICE_BASE_URL is the address of the service; the next run tries again',
  );
}

/** A walk over the client pages that couldn't be proven whole: what it saw is loaded. */
export function walkIncomplete(account: string, problem: string): Failure {
  return new Failure(
    'walk incomplete',
    `account ${account}, clients: the walk over all pages can't be proven complete (${problem})`,
    'what was seen is loaded and nobody is marked absent; the next run walks again, and doctor says how the service pages',
  );
}

/** What an error of a request means; failures pass through, and errors of ours redacted. */
export function failureOf(error: unknown, asked: Asked, redactor: Redactor): Error {
  const cut = (text: string) => excerpt(text, redactor);
  if (error instanceof Failure) return error;
  if (error instanceof ErrorStatus) return failureOfStatus(error.status, cut(error.body), asked);
  if (error instanceof TokenRefused) return tokenRefused(asked, error.message);
  if (error instanceof InvalidResponse) return notUnderstood(asked, error.message);
  if (error instanceof AttemptTimeout) return unavailable(asked, `gave ${error.message} on any try`);
  if (error instanceof ConnectionError)
    return unavailable(asked, `can't be reached at ${asked.baseUrl} (${cut(error.message)})`);
  if (error instanceof NotJson) return notUnderstood(asked, `the body is no JSON: ${error.message}`);
  if (error instanceof ResponseTooLarge) return notUnderstood(asked, `the body has ${error.message}`);
  // Attempts throw their own errors, so this one is a fault of ours; its message is the URL.
  if (isKyError(error)) return new Error(`unexpected ${error.name}`);
  return new Error(cut(error instanceof Error ? error.message : String(error)));
}

function failureOfStatus(status: number, said: string, asked: Asked): Failure {
  if (status === 401 || status === 403) return tokenRefused(asked, `status ${status}: ${said}`);
  if (status === 408 || status === 429 || status >= 500) {
    return unavailable(asked, `answered ${status} on every try: ${said}`);
  }
  return requestRefused(asked, `status ${status}: ${said}`);
}
