import { Failure } from '../../model/errors.ts';

/** An operation is given up once the tokens of this many accounts are refused, and none was accepted. */
const maxRefusedTokens = 10;

/** A few failures in a row happen by chance, and those of one or two accounts may be their own. */
const minInARow = 10;
const minAccounts = 3;

/**
 * Gives up an operation once the service is unavailable for one item after another, or has refused ten tokens and accepted
 * none (docs/scheduling.md). What is left waits for the next run, which begins with other accounts. A refused token
 * doesn't count as an unavailable service.
 *
 * @param maxInARow items in a row, from three accounts or from all `accounts`
 */
export function createCircuitBreaker(maxInARow: number, accounts: number) {
  const givenUp = new AbortController();
  const failing = new Set<string>();
  const refused = new Set<string>();
  let isAnyAccepted = false;
  let inARow = 0;
  return {
    /** Aborted once the operation is given up, with the error of what isn't requested any more. */
    signal: givenUp.signal,
    /** Records how an item of an account ended; null if the service responded well. */
    record(account: string, error: Failure | null): void {
      if (error?.code === 'TOKEN_REFUSED' || error?.code === 'CLIENT_LIST_REFUSED') {
        refused.add(account);
        if (isAnyAccepted || refused.size < maxRefusedTokens) return;
        const detail = `not requested: ${maxRefusedTokens} tokens were refused, and none was accepted`;
        givenUp.abort(new Failure('NOT_REQUESTED', detail));
        return;
      }
      isAnyAccepted ||= error === null;
      if (error?.code !== 'SERVICE_UNAVAILABLE') {
        inARow = 0;
        failing.clear();
        return;
      }
      inARow++;
      failing.add(account);
      const isOfMany = failing.size >= Math.min(minAccounts, accounts);
      if (isOfMany && inARow >= Math.max(minInARow, maxInARow)) givenUp.abort(error);
    },
  };
}

export const giveUpReason = ({ code, detail }: Failure): string =>
  code === 'NOT_REQUESTED' ? detail.replace('not requested: ', '') : 'the service is unavailable';
