import type { TokenSources } from './app-context.ts';

/** Remembers which tokens were refused, over the attempts that a process makes. */
export type TokenWatch = {
  /** Notes the tokens of the accounts, before an attempt that may use them. */
  begin(accounts: readonly string[]): void;
  /** Marks the tokens of these accounts, as they were before the attempt, as refused. */
  refuse(accounts: readonly string[]): void;
  /** Whether the account has another token than the one refused, or none was refused since the process started. */
  isNew(account: string): boolean;
};

export function createTokenWatch({ fingerprint }: Pick<TokenSources, 'fingerprint'>): TokenWatch {
  let before = new Map<string, string>();
  const refused = new Map<string, string>();
  return {
    begin(accounts) {
      before = new Map(accounts.map((account) => [account, fingerprint(account)]));
    },
    refuse(accounts) {
      for (const account of accounts) refused.set(account, before.get(account)!);
    },
    isNew: (account) => refused.get(account) !== fingerprint(account),
  };
}
