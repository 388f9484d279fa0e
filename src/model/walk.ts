import type { Day } from './day.ts';
import type { ErrorCode } from './errors.ts';

/**
 * The verdict of a page walk. `complete`: it saw the whole list; `changed`: clients came or went meanwhile; `remarked`: a page has a
 * remark that nobody accepted; `incomplete`: a page failed, is short, or isn't the requested one. Only a complete walk shows who is
 * absent.
 */
export type WalkVerdict = 'complete' | 'changed' | 'remarked' | 'incomplete';

/** The state of the walks over a client list. Run dates are dates in `TIME_ZONE`. */
export type WalkState = {
  /** The verdict of the last walk; null before the first. */
  readonly verdict: WalkVerdict | null;
  readonly runDate: Day | null;
  /** The reason if it isn't complete; else null. */
  readonly reason: string | null;
  /** The code of the error that ended it; null if none did. */
  readonly errorCode: ErrorCode | null;
  /** Its HTTP status, or the code of the connection; null if it has none. */
  readonly errorStatus: string | null;
  /** What the service said that nobody accepted: beside its records or, where a page had none, in their place. */
  readonly signs: readonly string[];
  /** Start and run date of the last complete walk; null if there was none. */
  readonly completeAt: string | null;
  readonly completeRunDate: Day | null;
  /** Run date of the first walk since then that wasn't complete; null if there was none. */
  readonly incompleteSince: Day | null;
  /** Number of run dates with walks since the last complete one, or after the first of all. */
  readonly incompleteRunDates: number;
  /** Number of clients that the last complete walk missed, if they are over half of the list; else 0. */
  readonly implausibleMissing: number;
  /**
   * Run date of the first in the row of complete walks that missed so many; null if `implausibleMissing` is 0.
   */
  readonly implausibleSince: Day | null;
};

/** From so many run dates without a complete walk on, an account needs one, though its list only changes during its walks. */
const maxRunDatesChanging = 7;

/**
 * Returns whether an account needs a complete walk (docs/service-assumptions.md): the last one was incomplete, or the list changed
 * during all walks of seven run dates since the last complete walk, or the first of all.
 */
export function needsCompleteWalk({ verdict, incompleteRunDates }: WalkState): boolean {
  return verdict === 'changed' ? incompleteRunDates >= maxRunDatesChanging : verdict === 'incomplete';
}
