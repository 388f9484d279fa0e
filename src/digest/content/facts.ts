import type {
  AccountTotals,
  DigestFigures,
  EarlierPeriod,
  PeriodFigures,
  PeriodParts,
} from '../../model/digest.ts';
import { type Comparison, compare, markingAccounts } from './comparison.ts';
import { type Explanation, explain } from './explanation.ts';
import { sumOfPeriod, sumUp, type Totals } from './totals.ts';

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

export type Facts = Omit<DigestFigures, 'late'> &
  PeriodFacts & {
    readonly late: readonly PeriodFacts[];
    /** The newest confirmed periods whose figures moved since they were mailed: each is a note, and no row of a table. */
    readonly moved: readonly MovedPeriod[];
  };

type MovedPeriod = EarlierPeriod & { readonly before: readonly PeriodFigures[] };

/** More of them are rows, and so are smaller changes of a sum. */
const maxMoved = 3;
const minMovedShare = 0.01;

export function factsOf(figures: DigestFigures): Facts {
  const moved = figures.earlier.filter(isMoved).slice(-maxMoved);
  return {
    ...figures,
    ...periodFacts(figures),
    late: figures.late.map(periodFacts),
    moved: moved.toReversed(),
    earlier: figures.earlier.filter((each) => !moved.some((other) => other === each)),
  };
}

function isMoved(period: EarlierPeriod): period is MovedPeriod {
  const { accounts, before } = period;
  if (before === null || accounts.some(({ state }) => state !== 'whole')) return false;
  const [now, mailed] = [sumOfPeriod(accounts), sumOfPeriod(before)];
  return isMovedBy(now.attempts, mailed.attempts) || isMovedBy(now.connects, mailed.connects);
}

/** A sum moved by a hundredth of what was mailed. */
const isMovedBy = (now: bigint | null, mailed: bigint | null) =>
  now !== null &&
  mailed !== null &&
  Math.abs(Number(now - mailed)) >= Math.max(1, minMovedShare * Number(mailed));

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
