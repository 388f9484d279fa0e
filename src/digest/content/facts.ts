import type { AccountTotals, DigestFigures } from '../../model/digest.ts';
import { areMinor, type Comparison, compare } from './comparison.ts';
import {
  type ChartDay,
  lackingAccounts,
  lastDays,
  provisionalAccounts,
  sumUp,
  type Totals,
} from './totals.ts';

/** Figures and what follows from them: computed once, and handed to each part of the mail. */
export type Facts = DigestFigures & {
  readonly totals: Totals;
  readonly comparison: Comparison | null;
  readonly days: readonly ChartDay[];
  /** Accounts whose period isn't complete: the digest says so instead of showing less. */
  readonly lacking: readonly AccountTotals[];
  /** Accounts whose figures of the period aren't confirmed yet: the digest is marked, and has no comparison. */
  readonly provisional: readonly AccountTotals[];
  /** The same, if they usually make less than 5% of all attempts: the others are compared, and these need attention. */
  readonly minorProvisional: readonly AccountTotals[];
};

export function factsOf(figures: DigestFigures): Facts {
  const { accounts } = figures;
  const provisional = provisionalAccounts(figures);
  const isMinor = areMinor(provisional, figures);
  return {
    ...figures,
    totals: sumUp(accounts),
    comparison: compare(figures),
    days: lastDays(figures),
    lacking: lackingAccounts(figures),
    provisional: isMinor ? [] : provisional,
    minorProvisional: isMinor ? provisional : [],
  };
}
