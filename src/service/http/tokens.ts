import { AttemptError } from '../failures.ts';

/** Reads the current token of an account from its source. */
export type ReadToken = (account: string) => string;

/** The refused token of each account, and the error with which the service refused it. */
export type RefusedTokens = Map<string, { readonly token: string; readonly detail: string }>;

/**
 * Hands out the tokens of accounts. If one is refused, reads it again from its source: a rotated secret heals
 * by itself. A refused token isn't sent again.
 */
export function createTokens(readToken: ReadToken, refused: RefusedTokens = new Map()) {
  const current = new Map<string, string>();

  function read(account: string): string {
    const token = readToken(account);
    current.set(account, token);
    return token;
  }

  return {
    /** Runs `work` with the account's token. If that is refused, runs it once more with a newer one. */
    async using<T>(account: string, work: (token: string) => Promise<T>): Promise<T> {
      const refusal = refused.get(account);
      if (refusal !== undefined && read(account) === refusal.token)
        throw new AttemptError('TOKEN_REFUSED', `${refusal.detail}; the token hasn't changed since`);
      const token = current.get(account) ?? read(account);
      try {
        return await work(token);
      } catch (error) {
        if (!(error instanceof AttemptError && error.code === 'TOKEN_REFUSED')) throw error;
        // Another request may already have read a newer token.
        const newer = current.get(account) === token ? read(account) : current.get(account)!;
        if (newer !== token) return await work(newer);
        refused.set(account, { token, detail: error.detail });
        throw error;
      }
    },
  };
}
