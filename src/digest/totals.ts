import type { AccountTotals, DigestFigures } from '../model/digest.ts';
import type { Counts } from '../model/records.ts';

export type Totals = { readonly [name in keyof Counts]: number } & { readonly campaigns: number };

/** Sums over the accounts of a digest. */
export function sumUp(accounts: readonly AccountTotals[]): Totals {
  const sum = (pick: (account: AccountTotals) => number | null) =>
    accounts.reduce((total, account) => total + (pick(account) ?? 0), 0);
  return {
    campaigns: sum((account) => account.campaigns),
    attempts: sum((account) => account.attempts),
    busies: sum((account) => account.busies),
    connects: sum((account) => account.connects),
    liveAnswers: sum((account) => account.liveAnswers),
  };
}

/** Accounts whose day isn't wholly there: the digest says so instead of showing less. */
export function lackingAccounts(figures: DigestFigures): readonly AccountTotals[] {
  return figures.accounts.filter((account) => account.state !== 'loaded');
}

/** Whether an answer for the account's day was ever loaded; without one its zeros mean nothing. */
export function hasFigures({ state }: AccountTotals): boolean {
  return state === 'loaded' || state === 'provisional';
}
