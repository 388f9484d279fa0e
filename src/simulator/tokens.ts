import type { Dataset, SimulatedAccount } from './dataset.ts';

/** Accepted tokens by account name, besides the data set's own. */
export type FurtherTokens = Readonly<Record<string, readonly string[]>>;

/** Who holds which token; how one is got and how long it lives isn't shown (service.md 5). */
export type Keyring = {
  /** Whose token it is, revoked or not. */
  ownerOf(token: string): SimulatedAccount | undefined;
  accepts(token: string): boolean;
  /** Ends a token; throws for one that is nobody's. */
  revoke(token: string): void;
};

/** Asks the data set each time, for a test may change its accounts while the service runs. */
export function createKeyring(dataset: Dataset, further: FurtherTokens = {}): Keyring {
  const revoked = new Set<string>();
  const ownerOf = (token: string) =>
    dataset.accounts.find((account) => account.token === token || further[account.name]?.includes(token));
  return {
    ownerOf,
    accepts: (token) => ownerOf(token) !== undefined && !revoked.has(token),
    revoke(token) {
      if (!ownerOf(token)) throw new Error('No account has the token that is to be revoked.');
      revoked.add(token);
    },
  };
}
