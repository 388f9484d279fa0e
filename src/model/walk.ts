import type { Day } from './day.ts';
import type { ErrorCode } from './errors.ts';

/**
 * How a page walk over a client list ended. `complete`: it saw the whole list; `changed`: clients came or went meanwhile;
 * `incomplete`: a page failed, is short, or isn't the requested one. Only a complete one says who is absent.
 */
export type WalkVerdict = 'complete' | 'changed' | 'incomplete';

/** What is known of the walks over an account's client list. Run dates are dates in `TIME_ZONE`. */
export type WalkState = {
  /** How the last walk ended; null before the first. */
  readonly verdict: WalkVerdict | null;
  readonly runDate: Day | null;
  /** Why it isn't complete; null if it is. */
  readonly reason: string | null;
  /** Code of the error that ended it; null if none did. */
  readonly errorCode: ErrorCode | null;
  /** When the last complete walk began, and its run date; null if there was none. */
  readonly completeAt: string | null;
  readonly completeRunDate: Day | null;
  /** Run date of the first walk since then that wasn't complete; null if there was none. */
  readonly incompleteSince: Day | null;
  /** How many clients the last complete walk missed, if they are over half of the list; otherwise 0. */
  readonly implausibleMissing: number;
  /** Run date of the first complete walk in a row that missed so many; null if `implausibleMissing` is 0. */
  readonly implausibleSince: Day | null;
};
