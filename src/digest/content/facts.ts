import type { AccountTotals, DigestFigures } from '../../model/digest.ts';
import { type Comparison, compare } from './comparison.ts';
import { type ChartDay, lackingAccounts, lastDays, shortAccounts, sumUp, type Totals } from './totals.ts';

/** Figures and what follows from them: computed once, and handed to each part of the mail. */
export type Facts = DigestFigures & {
  readonly totals: Totals;
  readonly comparison: Comparison | null;
  readonly days: readonly ChartDay[];
  /** Accounts whose period isn't complete: the digest says so instead of showing less. */
  readonly lacking: readonly AccountTotals[];
  /** Accounts whose figures of the period may be low. */
  readonly short: readonly AccountTotals[];
};

export function factsOf(figures: DigestFigures): Facts {
  const { accounts } = figures;
  return {
    ...figures,
    totals: sumUp(accounts),
    comparison: compare(figures),
    days: lastDays(figures),
    lacking: lackingAccounts(figures),
    short: shortAccounts(figures),
  };
}
