import type { Day } from './day.ts';
import type { ErrorCode } from './errors.ts';

/**
 * How a page walk over a client list ended. `complete`: it is proven that it saw the whole list; `changed`: it fetched
 * every page while the list changed; `incomplete`: anything else. Only a complete one says who is absent.
 */
export type WalkOutcome = 'complete' | 'changed' | 'incomplete';

/** What is known of the walks over an account's client list. Run dates are dates in `TIME_ZONE`. */
export type WalkState = {
  /** How the last walk ended; null before the first. */
  readonly outcome: WalkOutcome | null;
  readonly runDate: Day | null;
  /** Why it isn't complete; null where it is. */
  readonly problem: string | null;
  /** Code of the error that ended it; null where none did. */
  readonly errorCode: ErrorCode | null;
  /** When the last complete walk began, and its run date; null where there was none. */
  readonly completeAt: string | null;
  readonly completeRunDate: Day | null;
  /** Run date of the first walk since then that wasn't complete; null where there was none. */
  readonly incompleteSince: Day | null;
  /** How many clients the last complete walk missed, where they are over half of the list; otherwise 0. */
  readonly unbelievable: number;
  /** Run date of the first complete walk in a row that missed so many; null where `unbelievable` is 0. */
  readonly unbelievableSince: Day | null;
};

/** A count field of the client list that was its size on a complete walk of several pages. */
export type SizeField = {
  readonly field: string;
  readonly knownRunDate: Day;
  /** Run date of the first complete walk since that has another number of ids. */
  readonly disagreedRunDate: Day | null;
  /** Run date of the second one: from then on the field says nothing. */
  readonly droppedRunDate: Day | null;
};
