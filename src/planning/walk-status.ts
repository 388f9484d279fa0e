import { addDays, type Day } from '../model/day.ts';
import type { WalkState } from '../model/walk.ts';

/** How many run dates old the last complete walk may be, while each walk since only met a list that changed. */
const maxAgeWhileChanging = 7;

/** What an account's client list needs a run or a person for. */
export type WalkConcern = {
  /** `incomplete`: no complete walk for too long; `unbelievable`: over half of the clients are missing. */
  readonly kind: 'incomplete' | 'unbelievable';
  /** Run date on which it began. */
  readonly since: Day;
  /** The problem of the last walk; null of an unbelievable one. */
  readonly problem: string | null;
  /** How many clients are missing; 0 unless they are over half. */
  readonly missing: number;
};

/**
 * What status, page, metrics, alerts and exit codes say of a client list, the gravest first (design: *Complete walk*).
 * A walk that failed or is incomplete needs another one at once; one that fetched every page while the list changed,
 * once the last complete walk, or the first walk of all, is seven run dates old. Over half of the clients missing stays
 * a concern until a complete walk has them again.
 */
export function walkConcerns(walk: WalkState): WalkConcern[] {
  const concerns: WalkConcern[] = [];
  if (walk.incompleteSince !== null && isOverdue(walk))
    concerns.push({
      kind: 'incomplete',
      since: walk.incompleteSince,
      problem: walk.problem,
      missing: 0,
    });
  if (walk.unbelievableSince !== null)
    concerns.push({
      kind: 'unbelievable',
      since: walk.unbelievableSince,
      problem: null,
      missing: walk.unbelievable,
    });
  return concerns;
}

/** Whether the last walk, which wasn't complete, is more than a list that changed on a few run dates. */
function isOverdue({ outcome, runDate, completeRunDate, incompleteSince }: WalkState): boolean {
  if (outcome !== 'changed') return outcome === 'incomplete';
  const countedFrom = completeRunDate ?? incompleteSince!;
  return runDate! >= addDays(countedFrom, maxAgeWhileChanging);
}
