import type { AccountTotals, DigestFigures } from '../../model/digest.ts';
import { type Comparison, compare, markingAccounts } from './comparison.ts';
import { type Explanation, explain } from './movers.ts';
import { sumUp, type Totals } from './totals.ts';

/** Figures and what follows from them: computed once, and handed to each part of the mail. */
export type Facts = DigestFigures & {
  readonly totals: Totals;
  readonly comparison: Comparison | null;
  /** The explanation of the change; null if there is nothing to compare. */
  readonly explanation: Explanation | null;
  /** Accounts whose period isn't complete, as far as they mark the digest. */
  readonly lacking: readonly AccountTotals[];
  /** Accounts whose figures of the period aren't confirmed yet, as far as they mark the digest. */
  readonly provisional: readonly AccountTotals[];
};

export function factsOf(figures: DigestFigures): Facts {
  const marking = markingAccounts(figures);
  const comparison = compare(figures);
  return {
    ...figures,
    totals: sumUp(figures.accounts),
    comparison,
    explanation: comparison && explain(comparison, figures),
    lacking: marking.filter(({ state }) => state !== 'loaded'),
    provisional: marking.filter(({ provisionalDays }) => provisionalDays.length > 0),
  };
}
