import type { AccountTotals, DigestFigures } from '../../model/digest.ts';
import { displayName, type Format } from '../format.ts';
import { withTypicalWeekday } from './comparison.ts';
import { lackingAccounts, shortAccounts } from './totals.ts';

// Smaller differences are chance.
const minChange = 0.1;
const minPoints = 0.02;
const minAttempts = 20;
const minAttemptsOfRate = 100;

/** The largest movement against a typical weekday, and its main source. */
export type Insight = {
  readonly moved: 'attempts' | 'rate';
  readonly up: boolean;
  /** The account or campaign that makes up more than half of it; null if none does. */
  readonly where: Part | null;
};

type Part = {
  readonly name: string;
  readonly now: number;
  readonly reference: number;
};

/**
 * Finds the headline of a day: attempts moved by 10%, or the connect rate by 2 points, whichever exceeds its bound more.
 * Null if neither did, or if an account's day is missing.
 */
export function findInsight(figures: DigestFigures): Insight | null {
  if (lackingAccounts(figures).length > 0) return null;
  const typical = withTypicalWeekday(figures);
  const attempts = typical?.changes.attempts ?? null;
  const rate = typical?.connectRate ?? null;
  const byAttempts = attempts === null ? 0 : attemptsMoved(Number(attempts.now), attempts.reference);
  const byRate = rate === null ? 0 : timesBound(rate.now - rate.reference, minPoints);
  const rateCounts =
    rate !== null && Math.min(rate.attempts.now, rate.attempts.reference) >= minAttemptsOfRate;
  if (rateCounts && Math.abs(byRate) >= 1 && Math.abs(byRate) >= Math.abs(byAttempts))
    return {
      moved: 'rate',
      up: byRate > 0,
      where: whereRate(figures, (rate.now - rate.reference) * rate.attempts.now),
    };
  if (Math.abs(byAttempts) < 1) return null;
  const difference = Number(attempts!.now) - attempts!.reference;
  return { moved: 'attempts', up: difference > 0, where: whereAttempts(figures, difference) };
}

/** The change as a multiple of its bound; 0 if too few attempts changed. */
function attemptsMoved(now: number, reference: number): number {
  if (Math.abs(now - reference) < minAttempts || reference === 0) return 0;
  return timesBound(now / reference - 1, minChange);
}

/** Rounded: in floating point, 0.3 − 0.28 is a little less than 0.02. */
const timesBound = (change: number, bound: number) => Number((change / bound).toFixed(9));

function whereAttempts(figures: DigestFigures, difference: number): Part | null {
  const accounts = eachAccount(figures).flatMap(({ name, typical }) => {
    const change = typical?.changes.attempts ?? null;
    return change === null ? [] : [{ name, now: Number(change.now), reference: change.reference }];
  });
  const campaigns = figures.movers.map(({ campaign, callsetId, attempts, typical }) => ({
    name: displayName(campaign, `#${callsetId}`),
    now: attempts,
    reference: typical,
  }));
  const moved = ({ now, reference }: Part) => now - reference;
  return mostOf(accounts, moved, difference) ?? mostOf(campaigns, moved, difference);
}

function whereRate(figures: DigestFigures, difference: number): Part | null {
  const accounts = eachAccount(figures).flatMap(({ name, typical }) => {
    const change = typical?.connectRate ?? null;
    return change === null ? [] : [{ ...change, name }];
  });
  return mostOf(accounts, ({ now, reference, attempts }) => (now - reference) * attempts.now, difference);
}

/** Each account with its own typical weekday; empty if there is only one. */
function eachAccount(figures: DigestFigures) {
  if (figures.accounts.length < 2) return [];
  return figures.accounts.map((account) => ({
    name: displayName(account.label, account.account),
    typical: withTypicalWeekday({ ...figures, accounts: [account] satisfies AccountTotals[] }),
  }));
}

function mostOf<T extends Part>(
  parts: readonly T[],
  moved: (part: T) => number,
  difference: number,
): T | null {
  const shares = parts.map((part) => ({ part, share: moved(part) / difference }));
  const largest = shares.toSorted((one, other) => other.share - one.share)[0];
  return largest !== undefined && largest.share > 0.5 ? largest.part : null;
}

/** `Quieter than a typical Thursday, mostly Coast (−18%).` */
export function insightLine(figures: DigestFigures, format: Format): string | null {
  const insight = shortAccounts(figures).length > 0 ? null : findInsight(figures);
  if (insight === null) return null;
  const { words } = format;
  const { moved, up, where } = insight;
  const sentences = {
    attempts: up ? words.insight.busier : words.insight.quieter,
    rate: up ? words.insight.higherRate : words.insight.lowerRate,
  };
  const sentence = sentences[moved](format.longWeekday(figures.day));
  if (where === null) return `${sentence}.`;
  const by = moved === 'rate' ? format.points(where) : changeOf(where, format);
  return `${words.insight.mostly(sentence, where.name, by)}.`;
}

const changeOf = (part: Part, format: Format) =>
  part.reference === 0 ? format.words.insight.new : format.change(part);
