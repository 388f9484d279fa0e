import { Failure } from '../../model/failure.ts';
import { type Asked, tokenRefused } from '../failures.ts';

/** The token of an account, as it stands in its source now. */
export type TokenOf = (account: string) => string;

export type Tokens = {
  /** Does `work` with the account's token; with a newer one, once, where the service refuses it. */
  using<T>(asked: Asked, work: (token: string) => Promise<T>): Promise<T>;
};

/**
 * The tokens of one run. A refused token is read again from its source, so that a rotated secret heals by itself;
 * where it is still the same, the account is not asked about again in this run.
 */
export function createTokens(tokenOf: TokenOf): Tokens {
  const current = new Map<string, string>();
  const refused = new Set<string>();

  function read(account: string): string {
    const token = tokenOf(account);
    current.set(account, token);
    return token;
  }

  return {
    async using(asked, work) {
      const { account } = asked;
      if (refused.has(account)) throw tokenRefused(asked, 'before in this run, and it is still the same');
      const token = current.get(account) ?? read(account);
      try {
        return await work(token);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        // Another question may have read the newer one already.
        const newer = current.get(account) === token ? read(account) : current.get(account)!;
        if (newer === token) refused.add(account);
        if (newer === token) throw error;
        return await work(newer);
      }
    },
  };
}

function isRefusal(error: unknown): error is Failure {
  return error instanceof Failure && error.kind === 'token refused';
}
