import { Failure } from '../model/failure.ts';

const who = (account: string, operation: string) => `account ${account}: ${operation}`;

/** 401 or 403: only a person can mend it. */
export function tokenRefused(account: string, operation: string, said: string): Failure {
  return new Failure(
    'token refused',
    `${who(account, operation)}: the service refuses the session token (${said})`,
    'put a valid token into SIDTOKEN, or where ACCOUNTS_FILE names it, and run again',
  );
}

/** Unreachable, silent or overloaded after all retries: the next run heals it. */
export function unavailable(account: string, operation: string, said: string): Failure {
  return new Failure(
    'service unavailable',
    `${who(account, operation)}: the service ${said}`,
    'check SERVICE_BASE_URL and the network; the next run tries again',
  );
}

/** A status that repeating won't change. */
export function requestRefused(account: string, operation: string, said: string): Failure {
  return new Failure(
    'request refused',
    `${who(account, operation)}: the service refuses the request (${said})`,
    'check SERVICE_BASE_URL; if it is right, ask the provider of the service',
  );
}

/** An answer that isn't what the document shows. */
export function notUnderstood(account: string, operation: string, fault: string): Failure {
  return new Failure(
    'answer not understood',
    `${who(account, operation)}: the answer is not what the document shows (${fault})`,
    'check that SERVICE_BASE_URL is the address of the service; the next run tries again',
  );
}
