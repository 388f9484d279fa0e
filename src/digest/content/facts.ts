import type { AccountTotals, DigestFigures, PeriodParts } from '../../model/digest.ts';
import { type Comparison, compare, markingAccounts } from './comparison.ts';
import { type Explanation, explain } from './explanation.ts';
import { sumUp, type Totals } from './totals.ts';

/** The figures of a period and what follows from them: computed once, and handed to each part of the mail. */
export type PeriodFacts = PeriodParts & {
  readonly totals: Totals;
  readonly comparison: Comparison | null;
  readonly explanation: Explanation;
  /** Accounts whose period isn't complete, as far as they mark the digest. */
  readonly lacking: readonly AccountTotals[];
  /** Accounts whose figures of the period aren't confirmed yet, as far as they mark the digest. */
  readonly provisional: readonly AccountTotals[];
};

export type Facts = Omit<DigestFigures, 'late'> & PeriodFacts & { readonly late: readonly PeriodFacts[] };

export const factsOf = (figures: DigestFigures): Facts => ({
  ...figures,
  ...periodFacts(figures),
  late: figures.late.map(periodFacts),
});

function periodFacts(parts: PeriodParts): PeriodFacts {
  const marking = markingAccounts(parts);
  const comparison = compare(parts);
  return {
    ...parts,
    totals: sumUp(parts.accounts),
    comparison,
    explanation: explain(parts, comparison),
    lacking: marking.filter(({ state }) => state !== 'loaded'),
    provisional: marking.filter(({ provisionalDays }) => provisionalDays.length > 0),
  };
}
