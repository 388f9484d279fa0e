import { displayName, displayServiceName, type Format } from '../format.ts';
import type { Changes } from './comparison.ts';
import type { Facts } from './facts.ts';
import { periodWords } from './period-words.ts';

// Smaller differences are chance.
const minChange = 0.1;
const minPoints = 0.02;
const minAttempts = 20;
const minAttemptsOfRate = 100;

/** The largest movement of a period, and its main source. */
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
  /** The part of the total's difference that it makes up. */
  readonly difference: number;
};

/**
 * Finds what moved most: attempts by 10%, or the connect rate by 2 points, whichever exceeds its bound more. Null if
 * neither did, or if there is no total to compare.
 */
export function findInsight(facts: Facts): Insight | null {
  const total = facts.comparison?.total ?? null;
  if (total === null) return null;
  const [byAttempts, byRate] = [attemptsMoved(total), rateMoved(total)];
  if (Math.abs(byRate) >= 1 && Math.abs(byRate) >= Math.abs(byAttempts)) {
    const { now, reference, attempts } = total.connectRate!;
    return {
      moved: 'rate',
      up: byRate > 0,
      where: mostOf(accountsByRate(facts), (now - reference) * attempts.now),
    };
  }
  if (Math.abs(byAttempts) < 1) return null;
  const difference = total.counts.attempts!.now - total.counts.attempts!.reference;
  return {
    moved: 'attempts',
    up: difference > 0,
    where: mostOf(accountsByAttempts(facts), difference) ?? mostOf(campaigns(facts), difference),
  };
}

/** The change as a multiple of its bound; 0 if too few attempts changed. */
function attemptsMoved({ counts: { attempts } }: Changes): number {
  if (attempts === null || attempts.reference === 0) return 0;
  const { now, reference } = attempts;
  return Math.abs(now - reference) < minAttempts ? 0 : timesBound(now / reference - 1, minChange);
}

/** The change as a multiple of its bound; 0 if there are too few attempts. */
function rateMoved({ connectRate }: Changes): number {
  if (connectRate === null) return 0;
  const { now, reference, attempts } = connectRate;
  const isFew = Math.min(attempts.now, attempts.reference) < minAttemptsOfRate;
  return isFew ? 0 : timesBound(now - reference, minPoints);
}

/** Rounded: in floating point, 0.3 − 0.28 is a little less than 0.02. */
const timesBound = (change: number, bound: number) => Number((change / bound).toFixed(9));

function accountsByAttempts(facts: Facts): Part[] {
  return eachAccount(facts, ({ counts: { attempts } }) =>
    attempts === null ? null : { ...attempts, difference: attempts.now - attempts.reference },
  );
}

function accountsByRate(facts: Facts): Part[] {
  return eachAccount(facts, ({ connectRate }) =>
    connectRate === null
      ? null
      : { ...connectRate, difference: (connectRate.now - connectRate.reference) * connectRate.attempts.now },
  );
}

/** Each account's own change; empty if there is only one account. */
function eachAccount(
  { accounts, comparison }: Facts,
  partOf: (changes: Changes) => Omit<Part, 'name'> | null,
): Part[] {
  if (accounts.length < 2) return [];
  return accounts.flatMap(({ account, label }) => {
    const changes = comparison!.accounts.get(account);
    const part = changes === undefined ? null : partOf(changes);
    return part === null ? [] : { ...part, name: displayName(label, account) };
  });
}

function campaigns({ movers }: Facts): Part[] {
  return movers.map(({ campaign, callsetId, attempts, typical }) => ({
    name: displayServiceName(campaign, `#${callsetId}`),
    now: attempts,
    reference: typical ?? 0,
    difference: attempts - (typical ?? 0),
  }));
}

function mostOf(parts: readonly Part[], difference: number): Part | null {
  const shares = parts.map((part) => ({ part, share: part.difference / difference }));
  const largest = shares.toSorted((one, other) => other.share - one.share)[0];
  return largest !== undefined && largest.share > 0.5 ? largest.part : null;
}

/** `Quieter than a typical Thursday, mostly Coast (−18%).` */
export function insightLine(facts: Facts, format: Format): string | null {
  const insight = findInsight(facts);
  if (insight === null) return null;
  const { words } = format;
  const { every } = facts.period;
  const { moved, up, where } = insight;
  const sentences = {
    attempts: up ? words.insight.busier : words.insight.quieter,
    rate: up ? words.insight.higherRate : words.insight.lowerRate,
  };
  const sentence = sentences[moved][every](periodWords(facts.period, format).basis);
  if (where === null) return `${sentence}.`;
  const by = moved === 'rate' ? format.points(where) : changeOf(where, format);
  return `${words.insight.mostly(sentence, where.name, by)}.`;
}

const changeOf = (part: Part, format: Format) =>
  part.reference === 0 ? format.words.insight.new : format.change(part);
