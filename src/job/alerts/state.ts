import type { ActiveAlert } from '../../model/alert.ts';
import type { Day } from '../../model/day.ts';
import type { DeliveryState } from '../../model/digest.ts';
import type { ErrorCode } from '../../model/errors.ts';
import type { Every } from '../../model/period.ts';
import type { WalkState } from '../../model/walk.ts';

/** What the warehouse says of everything that may need somebody. */
export type WarehouseState = {
  /** Accounts that haven't retired, by name. */
  readonly accounts: readonly AccountState[];
  /** Whether a backfill is at work. */
  readonly isBackfilling: boolean;
  /** Mail that isn't known to have arrived, oldest day first. */
  readonly deliveries: readonly UndeliveredMessage[];
  /** Digests that went out incomplete and may yet be corrected. */
  readonly incomplete: readonly IncompleteDigest[];
  /** The last nightly run; null before the first. */
  readonly lastRun: LastRun | null;
  /** What is recorded of alerts that were found before, by key. */
  readonly recorded: ReadonlyMap<string, RecordedAlert>;
};

export type RecordedAlert = {
  /** Run date on which a run found it first; null where it was only dismissed. */
  readonly since: Day | null;
  /** What it affected when somebody acknowledged it. */
  readonly dismissed: readonly string[];
};

/** A day whose last attempt failed. */
export type FailedDay = { readonly day: Day; readonly code: ErrorCode; readonly detail: string };

/** A day of which a newer response is held; why, unless the attempts since then failed. */
export type HeldDay = { readonly day: Day; readonly reason: string | null };

/** Records of a day, or of the client list, that couldn't be read for the same reason. */
export type QuarantinedRecords = {
  /** Null for clients. */
  readonly day: Day | null;
  readonly reason: string;
  readonly records: number;
  /** What they say of attempts, as far as that can be read. */
  readonly attempts: number;
  /** The beginning of one. */
  readonly example: string;
};

/** What the warehouse says of one account. Days are in the account's zone, oldest first. */
export type AccountState = {
  /** As commands and keys of alerts have it. */
  readonly name: string;
  /** What people call it: in titles. */
  readonly label: string;
  readonly timeZone: string;
  /** Where its token is set: a setting, a variable or a file. */
  readonly tokenPlace: string;
  /** First day that is expected; null before the first run. */
  readonly since: Day | null;
  /** First expected day that a run of now still catches up on. */
  readonly firstCaughtUp: Day;
  /** Days whose last attempt failed, loaded before or not. */
  readonly failed: readonly FailedDay[];
  /** Days up to yesterday that are missing or provisional, and whose last attempt didn't fail. */
  readonly missing: readonly Day[];
  readonly held: readonly HeldDay[];
  readonly suspicious: readonly {
    readonly day: Day;
    readonly reason: SuspiciousReason;
    readonly detail: string | null;
  }[];
  readonly quarantined: readonly QuarantinedRecords[];
  readonly walk: WalkState;
};

export type SuspiciousReason = 'no calls' | 'unreported' | 'notice' | 'counts';

/** What alerts about an account are made of. */
export type AccountContext = {
  readonly account: AccountState;
  readonly now: Temporal.Instant;
  readonly isBackfilling: boolean;
  readonly lastRun: LastRun | null;
  /** What happens by itself with what is retried, as a sentence. */
  readonly nextAttempt: string;
};

/** The last nightly run. */
export type LastRun = {
  readonly run: number;
  readonly startedAt: Temporal.Instant;
  /** `waiting` for its retry; `interrupted` also if it was killed. */
  readonly state: 'in progress' | 'waiting' | 'ended' | 'interrupted';
  /** When it is retried; null unless that is ahead. */
  readonly retryAt: Temporal.Instant | null;
  /** The first scheduled time after it began: until then, no run is late. */
  readonly nextScheduledAt: Temporal.Instant;
  /** The error that ended it as a whole; null where none did. */
  readonly error: { readonly code: ErrorCode; readonly detail: string } | null;
  /** Digests that an error kept from being built, or, where they are, from being sent. */
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
  /** The last of its period. */
  readonly day: Day;
  readonly recipient: string;
  readonly state: DeliveryState;
  readonly reply: string | null;
};

export type IncompleteDigest = {
  readonly name: string;
  readonly day: Day;
  readonly lacking: readonly string[];
};

/** What alerts are made of; since when, and whether somebody acknowledged them, is recorded by their key. */
export type FoundAlert = Omit<ActiveAlert, 'since' | 'dismissed'>;
