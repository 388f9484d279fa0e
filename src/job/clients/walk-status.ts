import type { Day } from '../../model/day.ts';
import type { WalkState } from '../../model/walk.ts';

/** From so many run dates without a complete walk on, a list that changes during its walks is a concern. */
const maxRunDatesChanging = 7;

/** A problem of an account's client list. */
export type WalkConcern = {
  /** `incomplete`: no complete walk for too long; `implausible`: over half of the clients are missing. */
  readonly kind: 'incomplete' | 'implausible';
  /** The run date on which it began. */
  readonly since: Day;
  /** Why the last walk isn't complete; null if so many missing clients are implausible. */
  readonly reason: string | null;
  /** Number of missing clients; 0 unless they are over half. */
  readonly missing: number;
};

/**
 * The problems of a client list, the gravest first (design: *Complete walk*): status, page, metrics, alerts and
 * exit codes show these. An incomplete walk is one at once. A changing list is one once the last complete walk,
 * or the first walk of all, is seven run dates old. Over half of the clients missing is one until a complete walk
 * has them again.
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

/**
 * Returns whether an account needs a complete walk: the last one was incomplete, or the list changed during all
 * walks of seven run dates.
 */
export function needsCompleteWalk({ verdict, incompleteRunDates }: WalkState): boolean {
  return verdict === 'changed' ? incompleteRunDates >= maxRunDatesChanging : verdict === 'incomplete';
}
