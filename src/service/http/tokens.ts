import { AttemptError } from '../failures.ts';

/** Reads the token of an account from its source, as it is now. */
export type ReadToken = (account: string) => string;

/**
 * The tokens of one run. A refused token is read again from its source, so that a rotated secret heals by itself;
 * where it is unchanged, this run sends no further request for the account.
 */
export function createTokens(readToken: ReadToken) {
  const current = new Map<string, string>();
  /** What the service said when it refused the token of an account. */
  const refused = new Map<string, string>();

  function read(account: string): string {
    const token = readToken(account);
    current.set(account, token);
    return token;
  }

  return {
    /** Runs `work` with the account's token; once more with a newer one where the service refuses it. */
    async using<T>(account: string, work: (token: string) => Promise<T>): Promise<T> {
      const refusal = refused.get(account);
      if (refusal !== undefined) {
        throw new AttemptError('TOKEN_REFUSED', `${refusal}, earlier in this run`);
      }
      const token = current.get(account) ?? read(account);
      try {
        return await work(token);
      } catch (error) {
        if (!(error instanceof AttemptError && error.code === 'TOKEN_REFUSED')) throw error;
        // Another request may have read the newer one already.
        const newer = current.get(account) === token ? read(account) : current.get(account)!;
        if (newer !== token) return await work(newer);
        refused.set(account, error.message);
        throw error;
      }
    },
  };
}
