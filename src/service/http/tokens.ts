import type { ServiceResponse } from '../../model/records.ts';
import { AttemptError } from '../failures.ts';

type Operation = ServiceResponse['operation'];

type Refusal = { readonly token: string; readonly error: AttemptError };

const again = ({ error: { detail, status } }: Refusal) =>
  new AttemptError('TOKEN_REFUSED', detail, { status });

/** Reads the current token of an account from its source. */
export type ReadToken = (account: string) => string;

/**
 * Hands out the tokens of accounts. A refused request is sent once more, with the token read again from its source:
 * a rotated secret is picked up automatically. After two refusals the token isn't sent again for that operation: a service may
 * refuse one operation and permit the other.
 *
 * @param isBelievedRefused whether earlier runs believed the token of an account refused: one request then tries it for all
 */
export function createTokens(
  readToken: ReadToken,
  isBelievedRefused: (account: string) => boolean = () => false,
) {
  // Refusals by account and operation, with the error of the service.
  const refused = new Map<string, Refusal>();
  const current = new Map<string, string>();
  // Trials of tokens that are believed refused, by account: the refusal of the one request, or null.
  const trials = new Map<string, Promise<Refusal | null>>();

  function read(account: string): string {
    const token = readToken(account);
    current.set(account, token);
    return token;
  }

  return {
    /** Runs `work` with the account's token. If that is refused, runs it once more with the newest one. */
    async using<T>(account: string, operation: Operation, work: (token: string) => Promise<T>): Promise<T> {
      if (isBelievedRefused(account)) {
        const earlier = trials.get(account);
        if (earlier === undefined) {
          const token = current.get(account) ?? read(account);
          const trial = work(token);
          trials.set(
            account,
            trial.then(
              () => null,
              (error) => (isRefusal(error) ? { token, error } : null),
            ),
          );
          return await trial;
        }
        const refusal = await earlier;
        if (refusal !== null && read(account) === refusal.token) throw again(refusal);
      }
      const key = `${operation} ${account}`;
      const refusal = refused.get(key);
      if (refusal !== undefined && read(account) === refusal.token) throw again(refusal);
      const token = current.get(account) ?? read(account);
      try {
        return await work(token);
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
      // Another request may already have read a newer token.
      const newest = current.get(account) === token ? read(account) : current.get(account)!;
      try {
        return await work(newest);
      } catch (error) {
        if (isRefusal(error)) refused.set(key, { token: newest, error });
        throw error;
      }
    },
  };
}

const isRefusal = (error: unknown): error is AttemptError =>
  error instanceof AttemptError && error.code === 'TOKEN_REFUSED';
