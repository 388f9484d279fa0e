import { addDays, type Day } from '../../model/day.ts';
import type { WalkState } from '../../model/walk.ts';

/** How many run dates old the last complete walk may be, while each walk since only met a list that changed. */
const maxAgeWhileChanging = 7;

/** What an account's client list needs a run or a person for. */
export type WalkConcern = {
  /** `incomplete`: no complete walk for too long; `implausible`: over half of the clients are missing. */
  readonly kind: 'incomplete' | 'implausible';
  /** Run date on which it began. */
  readonly since: Day;
  /** Why the last walk isn't complete; null if so many missing clients are implausible. */
  readonly reason: string | null;
  /** How many clients are missing; 0 unless they are over half. */
  readonly missing: number;
};

/**
 * What status, page, metrics, alerts and exit codes say of a client list, the gravest first (design: *Complete walk*).
 * An incomplete walk needs another one at once; one during which the list changed, once the last complete walk, or the
 * first walk of all, is seven run dates old. Over half of the clients missing stays
 * a concern until a complete walk has them again.
 */
export function walkConcerns(walk: WalkState): WalkConcern[] {
  const concerns: WalkConcern[] = [];
  if (needsCompleteWalk(walk))
    concerns.push({
      kind: 'incomplete',
      since: walk.incompleteSince!,
      reason: walk.reason,
      missing: 0,
    });
  if (walk.implausibleSince !== null)
    concerns.push({
      kind: 'implausible',
      since: walk.implausibleSince,
      reason: null,
      missing: walk.implausibleMissing,
    });
  return concerns;
}

/** Returns whether the last walk wasn't complete, and met more than a list that changed on a few run dates. */
export function needsCompleteWalk({
  verdict,
  runDate,
  completeRunDate,
  incompleteSince,
}: WalkState): boolean {
  if (verdict !== 'changed') return verdict === 'incomplete';
  const countedFrom = completeRunDate ?? incompleteSince!;
  return runDate! >= addDays(countedFrom, maxAgeWhileChanging);
}
