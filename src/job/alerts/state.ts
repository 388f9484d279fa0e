import type { ActiveAlert } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import type { DeliveryCause, DeliveryState, SameCampaigns } from '../../model/digest.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { DigestKey, Every } from '../../model/period.ts';
import type { WalkState } from '../../model/walk.ts';
import type { DayState } from '../../model/window.ts';

/** The state of the warehouse, as far as alerts depend on it. */
export type WarehouseState = {
  /** Accounts that haven't retired, by name. */
  readonly accounts: readonly AccountState[];
  /** Accounts with the same campaigns, on days that runs still fetch. */
  readonly sameCampaigns: readonly SameCampaigns[];
  /** A backfill is at work. */
  readonly isBackfilling: boolean;
  /** Mail that isn't known to have arrived, oldest day first. */
  readonly deliveries: readonly UndeliveredMessage[];
  /** Digests that went out incomplete and may yet be corrected. */
  readonly incomplete: readonly DigestKey[];
  /** The last nightly run; null before the first. */
  readonly lastRun: LastRun | null;
  /** Alerts recorded by earlier runs, by key. */
  readonly recorded: ReadonlyMap<string, RecordedAlert>;
};

export type RecordedAlert = {
  /** Run date on which a run found it first; null if it was only dismissed. */
  readonly since: Day | null;
  /** The items it affected when somebody acknowledged it. */
  readonly dismissed: readonly string[];
};

/** A day whose last attempt failed. */
export type FailedDay = {
  readonly day: Day;
  readonly code: ErrorCode;
  readonly detail: string;
  /** An earlier attempt loaded it. */
  readonly isLoaded: boolean;
};

/** A day with a held response. The reason is null if the last attempt failed. */
export type HeldDay = { readonly day: Day; readonly reason: string | null };

/** Records of a day, or of the client list, that couldn't be read for the same reason. */
export type QuarantinedRecords = {
  /** Null for clients. */
  readonly day: Day | null;
  readonly reason: string;
  readonly records: number;
  /** The beginning of one; null for those beyond the kept ones, which never come first. */
  readonly example: string | null;
};

/** The state of one account. Days are in its zone, oldest first. */
export type AccountState = {
  /** The name that commands and keys of alerts use. */
  readonly name: string;
  /** The name in titles. */
  readonly label: string;
  readonly timeZone: string;
  /** The place of its token: a setting, a variable or a file. */
  readonly tokenPlace: string;
  /** First day that is expected; null before the first run. */
  readonly since: Day | null;
  /** Last day up to which every day is loaded and over; null if not even the first is. */
  readonly completeThrough: Day | null;
  /** First expected day that a run catches up on now. */
  readonly firstCaughtUp: Day;
  /** Days whose last attempt failed, loaded before or not. */
  readonly failed: readonly FailedDay[];
  /** Days up to yesterday that are missing, or were fetched before they were over, without a failed attempt. */
  readonly missing: readonly Day[];
  readonly held: readonly HeldDay[];
  readonly quarantined: readonly QuarantinedRecords[];
  readonly walk: WalkState;
  /** The days that a run catches up on now, as far as they aren't simply loaded and settled. */
  readonly days: readonly DayState[];
  readonly yesterday: Day;
};

/** The last nightly run. */
export type LastRun = {
  readonly run: number;
  readonly startedAt: Temporal.Instant;
  /** `waiting`: its retry is ahead; `interrupted`: also if it was killed. */
  readonly state: 'in progress' | 'waiting' | 'ended' | 'interrupted';
  /** The time of its retry; null unless that is ahead. */
  readonly retryAt: Temporal.Instant | null;
  /** The first scheduled time after its start: until then, no run is late. */
  readonly nextScheduledAt: Temporal.Instant;
  /** The error that ended it; null if none did. */
  readonly error: { readonly code: ErrorCode; readonly detail: string } | null;
  /** Digests that an error kept from being built or, if they are built, from being sent. */
  readonly digestErrors: readonly {
    readonly digest: string;
    readonly every: Every;
    readonly day: Day;
    readonly code: ErrorCode;
    readonly detail: string;
    readonly isBuilt: boolean;
  }[];
};

/** A message that isn't known to have arrived. */
export type UndeliveredMessage = {
  readonly digest: string;
  readonly every: Every;
  /** The last day of its period. */
  readonly day: Day;
  readonly recipient: string;
  readonly state: DeliveryState;
  readonly reply: string | null;
  /** What kept it from its recipient; null if nothing is known. */
  readonly cause: DeliveryCause | null;
};

/** An alert as it is found. When it began and whether somebody acknowledged it is recorded by its key. */
export type FoundAlert = Omit<ActiveAlert, 'since' | 'dismissed'>;
