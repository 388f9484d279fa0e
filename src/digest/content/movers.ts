import type { Day } from '../../model/day.ts';
import type { DigestFigures, Part, RateParts } from '../../model/digest.ts';
import { displayName, displayServiceName } from '../format.ts';
import { type Changes, type Comparison, partOf } from './comparison.ts';

// Smaller changes are chance.
const minChange = 0.1;
const minPoints = 0.02;
const minAttempts = 20;
const minAttemptsOfRateChange = 100;

export type Measure = 'attempts' | 'rate';

/** A campaign or account that moved, and what that added to the change of the rate, from 0 to 1. */
export type Moved = Part & {
  readonly name: string;
  /** The account of a campaign, if there are several. */
  readonly label: string | null;
  readonly since: Day | null;
  readonly noneSince: Day | null;
  readonly effect: Effect;
};

/** `own`: by another rate of its own; `mix`: by another share of the attempts, which has grown or shrunk. */
export type Effect = { readonly own: number; readonly mix: number; readonly hasGrown: boolean };

/** The change of the total, and the parts that make up most of it: they and the rest add up to it. */
export type Explanation = {
  /** The measures that changed by their bounds or more, the one that exceeds its own most first; empty on a normal day. */
  readonly moved: readonly Measure[];
  /** If one campaign's attempts changed by the bound of the total: those that changed by half of that or more, the largest first. */
  readonly large: readonly Moved[];
  /** The kind of the rows; `none` if few of them don't explain the change. */
  readonly by: 'campaigns' | 'accounts' | 'none';
  /** The largest first. */
  readonly rows: readonly Moved[];
  /** Number of the others. */
  readonly others: number;
};

const maxRows = 5;
/** The share that may be left for the row of the rest. */
const maxLeft = 0.1;
/** Rows that explain less than this explain nothing. */
const minExplained = 0.5;

export function explain(comparison: Comparison, { movers, accounts }: DigestFigures): Explanation {
  const { total } = comparison;
  const isMany = accounts.length > 1;
  const campaigns = movers.campaigns.map(
    (mover): Moved => ({
      ...mover,
      name: displayServiceName(mover.campaign, `#${mover.callsetId}`),
      label: isMany ? displayName(mover.label) : null,
      effect: effectOf(mover, total),
    }),
  );
  const multiples = { attempts: attemptsMoved(total), rate: rateMoved(total) };
  const moved = (['attempts', 'rate'] as const)
    .filter((measure) => multiples[measure] >= 1)
    .sort((one, other) => multiples[other] - multiples[one]);
  const reference = total.counts.attempts?.reference ?? 0;
  const bound = Math.max(minAttempts, minChange * reference);
  const isCounted = total.counts.attempts !== null;
  const movedBy = (least: number) => campaigns.filter((each) => sizeOf(each, 'attempts') >= least);
  const large = isCounted && movedBy(bound).length > 0 ? movedBy(bound / 2) : [];
  const isShifted = isCounted && movers.moved.attempts >= bound;
  const shown: readonly Measure[] = moved.length > 0 ? moved : isShifted ? ['attempts'] : [];
  const nothing = { moved, large, by: 'none', rows: [], others: 0 } as const;
  if (shown.length === 0) return nothing;
  const byCampaigns = cut(campaigns, movers.moved, shown);
  if (byCampaigns !== null)
    return { ...nothing, by: 'campaigns', rows: byCampaigns, others: movers.count - byCampaigns.length };
  const own = [...comparison.accounts].map(([account, changes]): Moved => {
    const { label } = accounts.find((each) => each.account === account)!;
    const part = partOf(changes);
    return {
      ...part,
      name: displayName(label, account),
      label: null,
      since: null,
      noneSince: null,
      effect: effectOf(part, total),
    };
  });
  const all = { attempts: sumOf(own, 'attempts'), rate: sumOf(own, 'rate') };
  const byAccounts = own.length > 1 ? cut(own, all, shown) : null;
  if (byAccounts === null) return nothing;
  return { ...nothing, by: 'accounts', rows: byAccounts, others: own.length - byAccounts.length };
}

/** The largest parts, until less than a tenth is left; null if five explain less than half of what moved most. */
function cut(
  parts: readonly Moved[],
  all: { readonly [measure in Measure]: number },
  measures: readonly Measure[],
): Moved[] | null {
  const share = (part: Moved, measure: Measure) =>
    all[measure] === 0 ? 0 : sizeOf(part, measure) / all[measure];
  const weight = (part: Moved) => Math.max(...measures.map((measure) => share(part, measure)));
  const largest = parts.toSorted((one, other) => weight(other) - weight(one));
  const rows: Moved[] = [];
  const left = (measure: Measure) => 1 - rows.reduce((sum, part) => sum + share(part, measure), 0);
  for (const part of largest.slice(0, maxRows)) {
    if (measures.every((measure) => left(measure) < maxLeft)) break;
    rows.push(part);
  }
  return rows.length > 0 && 1 - left(measures[0]!) >= minExplained ? rows : null;
}

export const differenceOf = ({ attempts: { now, typical } }: Part) => now - typical;
export const totalEffect = ({ effect: { own, mix } }: Moved) => own + mix;

const sizeOf = (part: Moved, measure: Measure) =>
  Math.abs(measure === 'attempts' ? differenceOf(part) : totalEffect(part));

const sumOf = (parts: readonly Moved[], measure: Measure) =>
  parts.reduce((sum, part) => sum + sizeOf(part, measure), 0);

/**
 * The effect of a part on the connect rate: the effects of all parts add up to it exactly. For a
 * campaign that began or stopped, the whole effect is mix.
 */
export function effectOf({ rate: { now, typical } }: Pick<Part, 'rate'>, { connectRate }: Changes): Effect {
  if (connectRate === null) return { own: 0, mix: 0, hasGrown: false };
  const { attempts, reference } = connectRate;
  const [share, shareBefore] = [now.attempts / attempts.now, typical.attempts / attempts.reference];
  const rate = rateOf(now) ?? rateOf(typical) ?? 0;
  const rateBefore = rateOf(typical) ?? rate;
  return {
    own: ((share + shareBefore) / 2) * (rate - rateBefore),
    mix: (share - shareBefore) * ((rate + rateBefore) / 2 - reference),
    hasGrown: share > shareBefore,
  };
}

export const rateOf = ({ part, attempts }: RateParts) => (attempts === 0 ? null : part / attempts);

/** The change as a multiple of its bound; 0 if too few attempts changed. */
function attemptsMoved({ counts: { attempts } }: Changes): number {
  if (attempts === null) return 0;
  const { now, reference } = attempts;
  return Math.abs(now - reference) < minAttempts ? 0 : timesBound(now / reference - 1, minChange);
}

/** The change as a multiple of its bound; 0 if there are too few attempts. */
function rateMoved({ connectRate }: Changes): number {
  if (connectRate === null) return 0;
  const { now, reference, attempts } = connectRate;
  const isFew = Math.min(attempts.now, attempts.reference) < minAttemptsOfRateChange;
  return isFew ? 0 : timesBound(now - reference, minPoints);
}

/** Rounded: in floating point, 0.3 − 0.28 is a little less than 0.02. */
const timesBound = (change: number, bound: number) => Math.abs(Number((change / bound).toFixed(9)));
