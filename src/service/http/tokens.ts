import type { ServiceResponse } from '../../model/records.ts';
import { AttemptError } from '../failures.ts';

type Operation = ServiceResponse['operation'];

/** Reads the current token of an account from its source. */
export type ReadToken = (account: string) => string;

/**
 * Hands out the tokens of accounts. The first request of an account and operation goes alone, so that a refused token costs one.
 * After a refusal the token is read again from its source, and the request sent once more if it is another one: a rotated
 * secret is picked up automatically. A refused token isn't sent again for that operation: a service may refuse one operation and
 * permit the other.
 */
export function createTokens(readToken: ReadToken) {
  const firsts = new Map<string, Promise<unknown>>();
  // Refused tokens by account and operation, with the error of the service.
  const refused = new Map<string, { readonly token: string; readonly error: AttemptError }>();
  const current = new Map<string, string>();

  function read(account: string): string {
    const token = readToken(account);
    current.set(account, token);
    return token;
  }

  /** Runs `work` with the account's token. If that is refused, and its source has another one, runs it once more with that. */
  return async <T>(
    account: string,
    operation: Operation,
    work: (token: string) => Promise<T>,
  ): Promise<T> => {
    const key = `${operation} ${account}`;
    const first = firsts.get(key);
    if (first !== undefined) {
      await first;
      return await send();
    }
    const sent = send();
    const ended = sent.catch(() => {});
    firsts.set(key, ended);
    return await sent;

    async function send(): Promise<T> {
      const token = current.get(account) ?? read(account);
      try {
        return await attempt(token);
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
      // Another request may already have read a newer token.
      return await attempt(current.get(account) === token ? read(account) : current.get(account)!);
    }

    async function attempt(token: string): Promise<T> {
      const refusal = refused.get(key);
      if (refusal?.token === token) throw refusal.error;
      try {
        return await work(token);
      } catch (error) {
        if (isRefusal(error)) refused.set(key, { token, error });
        throw error;
      }
    }
  };
}

const isRefusal = (error: unknown): error is AttemptError =>
  error instanceof AttemptError && error.code === 'TOKEN_REFUSED';
