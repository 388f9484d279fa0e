import type { AccountTotals, DigestFigures } from '../../model/digest.ts';
import type { Counts } from '../../model/records.ts';

export type Sums = { readonly [name in keyof Counts]: number };
export type Totals = Sums & { readonly campaigns: number };

/** Sums of counts; what wasn't reported adds nothing. */
export function addUp(all: readonly Counts[]): Sums {
  const sum = (name: keyof Counts) => all.reduce((total, counts) => total + (counts[name] ?? 0), 0);
  return {
    attempts: sum('attempts'),
    busies: sum('busies'),
    connects: sum('connects'),
    liveAnswers: sum('liveAnswers'),
  };
}

/** Sums over the accounts of a digest. */
export function sumUp(accounts: readonly AccountTotals[]): Totals {
  const campaigns = accounts.reduce((total, account) => total + account.campaigns, 0);
  return { ...addUp(accounts), campaigns };
}

/** Accounts whose day isn't complete: the digest says so instead of showing less. */
export function lackingAccounts({ accounts }: Pick<DigestFigures, 'accounts'>): readonly AccountTotals[] {
  return accounts.filter((account) => account.state !== 'loaded');
}

/** Whether a response for the account's day was ever loaded; without one its zeros mean nothing. */
export function hasFigures({ state }: AccountTotals): boolean {
  return state === 'loaded' || state === 'provisional';
}
