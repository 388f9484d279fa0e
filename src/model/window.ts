import type { Anomaly, HeldCode } from './anomaly.ts';
import type { Day } from './day.ts';
import type { ErrorCode } from './errors.ts';
import type {
  CampaignRecord,
  CountName,
  RateName,
  Reading,
  ServiceResponse,
  SummaryEnvelope,
} from './records.ts';

/** The unit of truth: one account on one day. */
export type Window = { readonly account: string; readonly day: Day };

/** The subject of a window's error: `account main, campaigns of 2026-03-02`. */
export const windowSubject = (account: string, day: Day): string => `account ${account}, campaigns of ${day}`;

/** `loaded`: confirmed; `provisional`: loaded, and not confirmed yet. */
export type WindowState = 'loaded' | 'provisional' | 'failed';

/** The ledger's entry of a window; without one it is missing. Run dates are dates in `TIME_ZONE`. */
export type LedgerEntry = Window & {
  readonly state: WindowState;
  /** Run date of the last response; null if there never was one. */
  readonly syncedRunDate: Day | null;
  /** It is confirmed, and its counts were the same on two run dates, or no later run fetches it by itself. */
  readonly isSettled: boolean;
  /** The last attempt failed. */
  readonly failed: boolean;
  /** Run date of that attempt, and all that an answer without records said; null if it did not fail, or failed otherwise. */
  readonly failedRunDate: Day | null;
  readonly errorSign: string | null;
  /** A newer response is held. */
  readonly held: boolean;
  /** The day was over when it was fetched. */
  readonly isOver: boolean;
};

/** A day of an account that isn't simply loaded and settled. */
export type DayState = {
  readonly day: Day;
  readonly state: WindowState | 'missing';
  /** The day was over when it was fetched; true also if it never was. */
  readonly isOver: boolean;
  readonly held: boolean;
  readonly settling: boolean;
  readonly restated: boolean;
  /** Code of the error of the last attempt; null if it did not fail. */
  readonly code: ErrorCode | null;
  /** Its HTTP status, or the code of the connection; null if it has none. */
  readonly status: string | null;
  /** All that an answer without records said; null if that isn't the error. */
  readonly sign: string | null;
  /** The error of the last attempt; null if it did not fail. */
  readonly reason: string | null;
  /** The code of the reason to hold the response, and the reason in words; null if none is held. */
  readonly heldCode: HeldCode | null;
  readonly heldReason: string | null;
  /** The anomalies of the current response; on a confirmed day something confirms each. */
  readonly anomalies: readonly Anomaly[];
  readonly attempts: number | null;
  /** The attempts of a typical weekday; null if unknown, if the day is settled, or if a backfill or a person loaded it. */
  readonly typicalAttempts: number | null;
};

/** An account that hasn't retired, and its days as far back as runs still fetch them. */
export type AccountDays = {
  readonly id: number;
  readonly name: string;
  /** The name that people read. */
  readonly label: string;
  /** UTC if Node doesn't know the recorded zone, as in views of the warehouse. */
  readonly timeZone: string;
  readonly since: Day | null;
  /** Last day up to which every day is loaded and over; null if not even the first is. */
  readonly completeThrough: Day | null;
  /** Its loaded days, if the service listed no campaign on any of them; else 0. */
  readonly daysWithoutCampaigns: number;
  /** The length of its lists on the last three days that have some, if all have the same of `cutLengths`; else null. */
  readonly cutAt: number | null;
  /** Its first and its last expected day that a run catches up on now. */
  readonly catchUpFrom: Day;
  readonly yesterday: Day;
  /** Oldest first. Days that aren't listed are loaded and settled. */
  readonly days: readonly DayState[];
};

/** Days of an account that no run fetches any more, and that are neither confirmed nor dismissed. */
export type EarlierDays = { readonly first: Day; readonly last: Day; readonly days: number };

/** A campaign's row in the warehouse. */
export type CurrentRow = CampaignRecord & { readonly withdrawn: boolean };

/** The current state of a window: its ledger entry and all rows, withdrawn ones included. */
export type CurrentDay = Pick<LedgerEntry, 'isSettled' | 'isOver'> & {
  /** `failed` also if it was never attempted. */
  readonly state: WindowState;
  readonly contentHash: string | null;
  /** Run date on which the current counts were first reported, of a day that was over. */
  readonly sameSinceRunDate: Day | null;
  readonly anomalies: readonly Anomaly[];
  readonly heldHash: string | null;
  /** Content hash of the loaded day before; null if it has fewer attempts than can be the same by chance. */
  readonly hashOfDayBefore: string | null;
  readonly rows: readonly CurrentRow[];
  /** The response is of the archive, and was decided on last. */
  readonly isReplayOfNewest: boolean;
};

/** A response for a day, as the load decision reads it. Campaigns of invalid records count as listed. */
export type LoadCandidate = Pick<Reading<CampaignRecord>, 'records' | 'rejects' | 'rejectCount'> & {
  readonly day: Day;
  /** The number of records that load without counts that can't be read. */
  readonly unreadableCounts: number;
  readonly envelope: SummaryEnvelope;
  readonly contentHash: string;
  /** Counts that most of its campaigns leave out. */
  readonly unreported: readonly CountName[];
  readonly runDate: Day;
  /** The day was over when it was fetched. */
  readonly isOver: boolean;
  /** No later run fetches the day by itself. */
  readonly isOutsideCatchUp: boolean;
  /** It is beyond `LOOKBACK_DAYS`: runs no longer fetch it on every run date. */
  readonly isBeyondLookback: boolean;
  /** A person saw this response and accepts it for the day. */
  readonly accepted: boolean;
};

/** A response to be loaded into its window. */
export type WindowResponse = LoadCandidate & {
  readonly accountId: number;
  readonly runId: number;
  /** Time just before the request, by the database's clock. */
  readonly fetchedAt: string;
  /** The response as it is archived; in a replay, the key of the archived one. */
  readonly response: ServiceResponse | number;
};

/** A row of a finished day that changed, or was not there before. */
export type Restatement = {
  readonly reason: 'changed' | 'withdrawn' | 'returned' | 'appeared';
  readonly callsetId: number;
};

/**
 * The sums of a day's current campaigns, as decimal text: they may be beyond 2^53. 0 without campaigns; null if none of them
 * reports the count.
 */
export type DaySums = {
  readonly campaigns: number;
  readonly activeCampaigns: number;
  /** Number of campaigns that don't report attempts. */
  readonly attemptsUnreportedCampaigns: number;
  readonly counts: { readonly [name in CountName]: string | null };
  /** The parts of each rate, over the campaigns that report both. */
  readonly rates: {
    readonly [name in RateName]: { readonly part: string | null; readonly attempts: string | null };
  };
};

/** The changes that a response makes to a day. */
export type DayChange = {
  /** New rows. */
  readonly appeared: readonly CampaignRecord[];
  /** Rows to rewrite: counts, name or extra changed, or a withdrawn row returned. */
  readonly updated: readonly CampaignRecord[];
  /** Ids of current rows that the response doesn't list. */
  readonly withdrawn: readonly number[];
  /** The changes that are news to somebody who read the day as final. */
  readonly restatements: readonly Restatement[];
  readonly unchanged: number;
  /** The sums of the day after the change. */
  readonly sums: DaySums;
};

/**
 * The decision on a response: apply its changes, which confirms the day or leaves it provisional for a reason; hold it and leave the
 * day as it is; or ignore it: the service no longer lists the day, or the loaded response is more complete.
 */
export type LoadDecision = { readonly anomalies: readonly Anomaly[] } & (
  | { readonly decision: 'apply'; readonly provisional: string | null; readonly change: DayChange }
  | { readonly decision: 'hold'; readonly code: HeldCode; readonly because: string }
  | { readonly decision: 'ignore'; readonly because: string }
);
