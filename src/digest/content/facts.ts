import type { AccountTotals, DigestFigures } from '../../model/digest.ts';
import { areMinor, type Comparison, compare } from './comparison.ts';
import { lackingAccounts, provisionalAccounts, sumUp, type Totals } from './totals.ts';

/** Figures and what follows from them: computed once, and handed to each part of the mail. */
export type Facts = DigestFigures & {
  readonly totals: Totals;
  readonly comparison: Comparison | null;
  /** Accounts whose period isn't complete: the digest says so instead of showing less. */
  readonly lacking: readonly AccountTotals[];
  /** Accounts whose figures of the period aren't confirmed yet: the digest is marked, and its total has no change. */
  readonly provisional: readonly AccountTotals[];
  /** The same, if they usually make less than 5% of all attempts: the others are compared, and these need attention. */
  readonly minorProvisional: readonly AccountTotals[];
};

export function factsOf(figures: DigestFigures): Facts {
  const provisional = provisionalAccounts(figures);
  const isMinor = areMinor(provisional, figures);
  const lacking = lackingAccounts(figures);
  const comparison = compare(figures);
  const isPartial = lacking.length > 0 || (provisional.length > 0 && !isMinor);
  return {
    ...figures,
    totals: sumUp(figures.accounts),
    comparison: comparison && isPartial ? { ...comparison, total: null } : comparison,
    lacking,
    provisional: isMinor ? [] : provisional,
    minorProvisional: isMinor ? provisional : [],
  };
}
